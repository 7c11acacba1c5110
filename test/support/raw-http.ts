import { connect } from 'node:net';

/** Sends bytes as they are; resolves with all that came back once the other side has closed. */
export const rawHttp = (port: number, ...parts: readonly (string | Buffer)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const answered: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (bytes) => answered.push(bytes));
    socket.on('close', () => resolve(Buffer.concat(answered).toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(Buffer.concat(answered).toString('latin1'));
      else reject(error);
    });
  });
