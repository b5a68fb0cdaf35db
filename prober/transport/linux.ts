/**
 * System calls that Node does not have: sendmmsg(2) and recvmmsg(2) handle many datagrams by one call, and
 * the error queue of a socket holds ICMP messages about its packets (ip(7), IP_RECVERR).
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

/** No UDP datagram is longer than this. */
const RECEIVE = { messages: 64, bytes: 65_536 };
/**
 * Buffer for entries of an error queue. Each entry holds the start of the packet it is about, which is not
 * read.
 */
const ERRORS = { messages: 64, bytes: 1 };
/** Most calls in a row that empty an error queue, before others get a chance. */
const MOST_CALLS = 16;

/**
 * The sockets of this kernel; undefined on other systems than 64-bit Linux. Rejects if the C library cannot
 * be loaded.
 */
export async function openLinux(): Promise<Linux | undefined> {
  const libc = await loadLibC();
  return libc && new Linux(libc);
}

/** Opens UDP sockets by system calls, and sends and receives many datagrams with one call. */
export class Linux {
  readonly libc: LibC;
  /** Received messages; the next call of `receive` overwrites them. */
  readonly incoming: MessageVector;
  /** Entries of error queues; the next call of `takeErrors` overwrites them. */
  readonly errors: MessageVector;

  constructor(libc: LibC) {
    this.libc = libc;
    this.incoming = new MessageVector(libc, RECEIVE);
    this.errors = new MessageVector(libc, ERRORS);
    this.errors.receiveControl();
  }

  /** Opens a socket on a free port that keeps ICMP messages in its error queue. Throws the system's error. */
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
    // Forbids fragmentation: packets are short, and without it the kernel need not draw a fragment id, which
    // is 2 % of a probe.
    const fits = isV6
      ? set(IPPROTO_IPV6, IPV6_V6ONLY, 1) && set(IPPROTO_IPV6, IPV6_RECVERR, 1)
      : set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE) && set(IPPROTO_IP, IP_RECVERR, 1);
    if (fits && this.libc.bind(fd, name, name.length) === 0) return fd;
    const error = this.#error();
    this.libc.close(fd);
    throw error;
  }

  /**
   * Sends messages from `first` on. Returns how many were sent, or the negative error number if the first one
   * failed. An error, and a batch that ends early, may come from an ICMP message about an earlier packet:
   * call `takeErrors` and try again.
   */
  send(fd: number, messages: MessageVector, first: number, count: number): number {
    const sent = this.libc.sendmmsg(fd, messages.pointerTo(first), count, 0);
    return sent < 0 ? -this.libc.errno() : sent;
  }

  /**
   * Receives messages into `incoming`. Returns their number, or a negative error number, which may come from
   * an ICMP message.
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
   * Reads the socket's error queue with a few calls and adds the rejects to `rejections`. Returns the number
   * of entries. Once the queue is empty the kernel forgets the error that the next call would meet.
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
