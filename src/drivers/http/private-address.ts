import { BlockList, isIP } from 'node:net';

/** Networks that no provider's API is in (RFC 6890 and successors), IPv4. */
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const IPV6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['::1', 128],
  // What holds an IPv4 address inside: translated or tunnelled, it would lead past the list above.
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

// Two lists: in one, the network of mapped addresses would hold every IPv4 address.
const ipv4 = new BlockList();
for (const [network, prefix] of IPV4) ipv4.addSubnet(network, prefix, 'ipv4');
const ipv6 = new BlockList();
for (const [network, prefix] of IPV6) ipv6.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is one of this machine, of a private network, or of no host at all. What is no address is. */
export const isPrivateAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 0) return true;
  return family === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6');
};
