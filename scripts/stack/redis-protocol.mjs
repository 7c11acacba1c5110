import { connect } from 'node:net';

/**
 * One command to a Redis on the loopback, by the plain protocol: these scripts run before any package is installed. Understands
 * the answers that its callers ask for: simple strings, errors, integers and bulk strings.
 *
 * @param {number} port
 * @param {readonly (string | number)[]} words
 * @returns {Promise<string>}
 */
export function redisCommand(port, words) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    socket.setTimeout(2_000, () => socket.destroy(new Error('no answer within 2 s')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      answer += chunk;
      const end = answer.indexOf('\r\n');
      if (end < 0) return;
      const first = answer.slice(1, end);
      if (answer[0] === '$' && answer.length < end + 2 + Number(first) + 2 && Number(first) >= 0) return;
      if (answer[0] === '-') reject(new Error(first));
      else resolve(answer[0] === '$' ? answer.slice(end + 2, end + 2 + Number(first)) : first);
      socket.destroy();
    });
    const parts = words.map(String);
    socket.write(`*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`);
  });
}
