/**
 * sendmmsg(2) and recvmmsg(2), which Node does not have: many datagrams by one call, and the error queue of a socket, where
 * the kernel keeps ICMP messages about its packets: ip(7), IP_RECVERR.
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

/** A UDP datagram is never longer. */
const RECEIVE = { messages: 64, bytes: 65_536 };
/** Entries of an error queue. Each comes with the start of the packet that it is about, which is not read. */
const ERRORS = { messages: 64, bytes: 1 };
/** No more calls than this empty an error queue before others have their turn. */
const MOST_CALLS = 16;

/** The sockets of this kernel; undefined on other systems than 64-bit Linux. Rejects if the C library is out of reach. */
export async function openLinux(): Promise<Linux | undefined> {
  const libc = await loadLibC();
  return libc && new Linux(libc);
}

/** Opens UDP sockets by system calls, and sends and receives many datagrams with one call. */
export class Linux {
  readonly libc: LibC;
  /** What `receive` received; the next call overwrites it. */
  readonly incoming: MessageVector;
  /** Of error queues; `takeErrors` overwrites them. */
  readonly errors: MessageVector;

  constructor(libc: LibC) {
    this.libc = libc;
    this.incoming = new MessageVector(libc, RECEIVE);
    this.errors = new MessageVector(libc, ERRORS);
    this.errors.receiveControl();
  }

  /** A socket bound to a port that was free, which keeps ICMP messages in its error queue. Throws the error of the system. */
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
    // Ours are short. What is never cut in pieces gets no number to put them together by, whose drawing is 2 % of a probe.
    const fits = isV6
      ? set(IPPROTO_IPV6, IPV6_V6ONLY, 1) && set(IPPROTO_IPV6, IPV6_RECVERR, 1)
      : set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE) && set(IPPROTO_IP, IP_RECVERR, 1);
    if (fits && this.libc.bind(fd, name, name.length) === 0) return fd;
    const error = this.#error();
    this.libc.close(fd);
    throw error;
  }

  /**
   * How many of the messages from `first` on were sent; the negative number of an error if the first was not. That error, and
   * one that ends a batch early, may be an ICMP message about an earlier packet, to whomever: `takeErrors`, then try again.
   */
  send(fd: number, messages: MessageVector, first: number, count: number): number {
    const sent = this.libc.sendmmsg(fd, messages.pointerTo(first), count, 0);
    return sent < 0 ? -this.libc.errno() : sent;
  }

  /**
   * How many messages have come and are in `incoming` now; the negative number of an error, which may be an ICMP message as
   * well.
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
   * Empties the socket's error queue, of as many entries as a few calls take, and adds those that are rejects to `rejections`.
   * Returns how many it took. With the last one the kernel forgets the error that the next call on the socket would meet.
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
