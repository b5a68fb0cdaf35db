/**
 * System calls that Node.js does not offer. sendmmsg(2) and recvmmsg(2) send and receive many datagrams with one call.
 * The error queue of a socket contains ICMP messages about its packets (see IP_RECVERR in ip(7)).
 */
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { Family } from './datagram-socket.ts';
import { type LibC, loadLibC } from './libc.ts';
import { AF_INET, AF_INET6, MessageVector, NAME, type Rejection } from './message-vector.ts';

const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_IP = 0;
const IP_MTU_DISCOVER = 10;
const IP_PMTUDISC_PROBE = 3;
const IP_RECVERR = 11;
const IPPROTO_IPV6 = 41;
const IPV6_RECVERR = 25;
const IPV6_V6ONLY = 26;
const MSG_DONTWAIT = 0x40;
const MSG_ERRQUEUE = 0x2000;

/**
 * Limits for receiving datagrams. `messages`: maximum number of datagrams that one system call receives. `bytes`:
 * maximum length of a UDP datagram.
 */
const RECEIVE = { messages: 64, bytes: 65_536 };
/**
 * Limits for reading the error queue of a socket. `messages`: maximum number of errors per system call. `bytes`: size
 * of the buffer for the packet that caused an error; one byte, because gsq does not need this packet.
 */
const ERRORS = { messages: 64, bytes: 1 };
/**
 * Maximum number of consecutive system calls that read the error queue of one socket. After that, timers and other
 * sockets get their turn.
 */
const MOST_CALLS = 16;

/**
 * Returns true if gsq can read the error queues of UDP sockets with this version of libuv. Since 1.52, libuv reads
 * these queues itself and hides the destinations of rejected packets. Version 1.52.1 even aborts Node.js.
 */
export function leavesErrorQueues(libuv: string): boolean {
  const [major = 0, minor = 0] = libuv.split('.').map(Number);
  return major === 1 && minor < 52;
}

/**
 * Loads the system calls for UDP sockets on 64-bit Linux. Resolves to undefined on other systems. Rejects if the C
 * library cannot be loaded.
 */
export async function openLinux(
  errorQueues = leavesErrorQueues(process.versions.uv),
): Promise<Linux | undefined> {
  const libc = await loadLibC();
  return libc && new Linux(libc, errorQueues);
}

/** Opens UDP sockets with system calls of Linux. Sends and receives many datagrams with one system call. */
export class Linux {
  readonly libc: LibC;
  /** True if the kernel puts ICMP messages about a socket's packets into an error queue of the socket. */
  readonly errorQueues: boolean;
  /** Datagrams that the last call of `receive` received. The next call of `receive` overwrites them. */
  readonly incoming: MessageVector;
  /** Errors that `takeErrors` read from the error queue of a socket. The next call of `takeErrors` overwrites them. */
  readonly errors: MessageVector;

  constructor(libc: LibC, errorQueues: boolean) {
    this.libc = libc;
    this.errorQueues = errorQueues;
    this.incoming = new MessageVector(libc, RECEIVE);
    this.errors = new MessageVector(libc, ERRORS);
    this.errors.receiveControl();
  }

  /** Opens a socket on a free port. Returns its file descriptor. Throws the error of the system if this fails. */
  boundSocket(family: Family): number {
    const isV6 = family === 'udp6';
    const fd = this.libc.socket(isV6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) throw this.#error();
    const name = Buffer.alloc(isV6 ? NAME.bytes : NAME.v4Bytes);
    name.writeUInt16LE(isV6 ? AF_INET6 : AF_INET);
    const set = (level: number, option: number, value: number): boolean => {
      const bytes = Buffer.from(Uint32Array.of(value).buffer);
      return this.libc.setsockopt(fd, level, option, bytes, bytes.length) === 0;
    };
    // Forbids fragmentation of IPv4 packets, which are short anyway. The kernel then needs no fragment id for each
    // packet. This saves 2 % of the CPU time of a probe.
    const keepErrors = Number(this.errorQueues);
    const fits = isV6
      ? set(IPPROTO_IPV6, IPV6_V6ONLY, 1) && set(IPPROTO_IPV6, IPV6_RECVERR, keepErrors)
      : set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE) && set(IPPROTO_IP, IP_RECVERR, keepErrors);
    if (fits && this.libc.bind(fd, name, name.length) === 0) return fd;
    const error = this.#error();
    this.libc.close(fd);
    throw error;
  }

  /**
   * Sends `count` messages from the index `first` on. Returns the number of sent messages, or a negative error number.
   * After an ICMP error, the caller must call `takeErrors` and send the rest.
   */
  send(fd: number, messages: MessageVector, first: number, count: number): number {
    const sent = this.libc.sendmmsg(fd, messages.pointerTo(first), count, 0);
    return sent < 0 ? -this.libc.errno() : sent;
  }

  /**
   * Receives messages into `incoming`. Returns the number of messages, or a negative error number. The cause of an
   * error can be an ICMP message.
   */
  receive(fd: number): number {
    const { incoming } = this;
    const count = this.libc.recvmmsg(fd, incoming.pointerTo(0), incoming.messages, MSG_DONTWAIT, null);
    if (count < 0) {
      const error = this.libc.errno();
      return error === constants.errno.EAGAIN ? 0 : -error;
    }
    incoming.renew(count);
    return count;
  }

  /**
   * Reads all errors from the error queue of a socket, so that the next system call does not fail. Adds each packet
   * rejected by an ICMP message to `rejections`. Returns the number of errors.
   */
  takeErrors(fd: number, rejections: Rejection[]): number {
    const { errors } = this;
    let all = 0;
    for (let call = 0; call < MOST_CALLS; call++) {
      const flags = MSG_DONTWAIT | MSG_ERRQUEUE;
      const count = this.libc.recvmmsg(fd, errors.pointerTo(0), errors.messages, flags, null);
      if (count <= 0) break;
      for (let i = 0; i < count; i++) {
        const rejection = errors.rejection(i);
        if (rejection) rejections.push(rejection);
      }
      errors.renew(count);
      all += count;
      if (count < errors.messages) break;
    }
    return all;
  }

  #error(): Error {
    const code = getSystemErrorName(-this.libc.errno());
    return Object.assign(new Error(code), { code });
  }
}
