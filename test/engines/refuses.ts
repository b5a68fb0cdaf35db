import { once } from 'node:events';
import { connect } from 'node:net';

/** Resolves to true if no process listens on the TCP port `port` of 127.0.0.1. */
export async function refuses(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}
