import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy between a gateway and a core. It can stall (connections stay open, but no bytes pass), drop replies of
 * the core, and break connections.
 */
export class StallingProxy {
  readonly #server: Server;
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;
  #losesReplies = false;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer(near => this.#join(near));
  }

  /** Starts a TCP proxy. `target`: address of the core, `host:port`. */
  static async start(target: string): Promise<StallingProxy> {
    const proxy = new StallingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes the proxy stall: it passes on no bytes in either direction until `resume` is called. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Continues to pass on bytes to the core, but drops all bytes from the core until `breakConnections` is called. */
  loseReplies(): void {
    this.#losesReplies = true;
  }

  /** Breaks all connections of the proxy. New connections work as usual. */
  breakConnections(): void {
    this.#losesReplies = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.breakConnections();
  }

  #join(near: Socket): void {
    const [host = '', port = ''] = this.#target.split(':');
    const far = connect({ host, port: Number(port), noDelay: true });
    near.setNoDelay(true);
    near.on('data', bytes => far.write(bytes));
    far.on('data', bytes => {
      if (!this.#losesReplies) near.write(bytes);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      if (this.#isStalled) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
