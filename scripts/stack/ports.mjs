import { connect, createServer } from 'node:net';

/** Whether nobody listens on this loopback port. @param {number} port @returns {Promise<boolean>} */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether somebody accepts connections there. @param {number} port @returns {Promise<boolean>} */
export function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Free loopback ports, all different. They are held open together until all are found, and lie below the range from which
 * systems give out the ports of outgoing connections, so that none of those takes one while its server is down.
 *
 * @param {number} count
 */
export async function freePorts(count) {
  /** @type {import('node:net').Server[]} */
  const held = [];
  /** @type {number[]} */
  const ports = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > 1_000) throw new Error('no free port between 12000 and 31999');
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isOurs = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isOurs) continue;
    held.push(server);
    ports.push(port);
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
