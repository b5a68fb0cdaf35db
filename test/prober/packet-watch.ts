import { Socket as DatagramSocket } from 'node:dgram';
import { isIPv4, Socket } from 'node:net';
import { mock } from 'node:test';
import { Linux } from '../../prober/transport/linux.ts';
import type { MessageVector } from '../../prober/transport/message-vector.ts';
import { addressText } from './address-text.ts';

function isLoopback(address: unknown): boolean {
  return address === '::1' || (typeof address === 'string' && isIPv4(address) && address.startsWith('127.'));
}

/**
 * Reads host and port from the arguments of a call to `connect` of Node.js. The call has one of the forms
 * `connect(port, host)`, `connect({ port, host })` and, inside Node.js, `connect([{ port, host }, …])`.
 */
function endpointOf([first, second]: unknown[]): { address: unknown; port: unknown } {
  if (Array.isArray(first)) return endpointOf(first);
  if (typeof first !== 'object' || first === null) return { address: second, port: first };
  return { address: Reflect.get(first, 'host'), port: Reflect.get(first, 'port') };
}

/**
 * Records the destinations of this thread's packets and connections. Really sends packets and opens connections only if
 * the destination is a loopback address.
 */
export class PacketWatch {
  /** Destinations of the watched packets as `address:port`, in the order of sending. */
  readonly sent: string[] = [];
  readonly #restore: (() => void)[];

  /** Packets that a DNS server sends from the port `nameServerPort` are not recorded. */
  constructor(nameServerPort: number) {
    const note = (address: unknown, port: unknown): boolean => {
      this.sent.push(`${address}:${port}`);
      return isLoopback(address);
    };

    const { send } = Linux.prototype;
    const batch = function (this: Linux, fd: number, messages: MessageVector, first: number, count: number) {
      const local = Array.from({ length: count }, (_, i) =>
        note(addressText(messages.from(first + i)), messages.port(first + i)),
      );
      return local.includes(false) ? count : send.call(this, fd, messages, first, count);
    };

    const { send: sendOne } = DatagramSocket.prototype;
    const datagram = function (this: DatagramSocket, ...args: unknown[]): void {
      // `send` of Node.js accepts two argument lists: (packet, port, address) and (packet, offset, length, port,
      // address).
      const at = typeof args[2] === 'number' ? 3 : 1;
      const ours = this.address().port !== nameServerPort;
      if (!ours || note(args[at + 1], args[at])) Reflect.apply(sendOne, this, args);
    };

    const { connect } = Socket.prototype;
    const connection = function (this: Socket, ...args: unknown[]): unknown {
      const { address, port } = endpointOf(args);
      if (note(address, port)) return Reflect.apply(connect, this, args);
      throw new Error(`a connection to ${address}:${port} was kept in`);
    };

    this.#restore = [
      mock.method(Linux.prototype, 'send', batch),
      mock.method(DatagramSocket.prototype, 'send', datagram),
      mock.method(Socket.prototype, 'connect', connection),
    ].map(mocked => () => mocked.mock.restore());
  }

  stop(): void {
    for (const restore of this.#restore) restore();
  }
}
