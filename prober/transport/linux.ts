/**
 * sendmmsg(2) and recvmmsg(2), which Node does not have: many datagrams by one call. Structures are those of 64-bit
 * Linux on little-endian processors, x64 and arm64.
 */
import { endianness } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { AddressKey } from '../../proto/address-key.ts';
import type { DatagramEndpoint, Family } from './datagram-socket.ts';

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_IP = 0;
const IP_MTU_DISCOVER = 10;
const IP_PMTUDISC_PROBE = 3;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const MSG_DONTWAIT = 0x40;

/** struct mmsghdr: the pointer and length of the name, of the vector of parts, flags; then what was received. */
const HEADER = { bytes: 64, name: 0, nameLength: 8, parts: 16, partCount: 24, received: 56 };
/** struct iovec. */
const PART = { bytes: 16, base: 0, length: 8 };
/** struct sockaddr_in6, the longer one. The family, then the port in network order, in both. */
const NAME = { bytes: 28, v4Bytes: 16, port: 2, v4Address: 4, v6Address: 8, v6AddressBytes: 16 };
/** A UDP datagram is never longer. */
const RECEIVE = { messages: 64, bytes: 65_536 };
const ADDRESS_TEXT_BYTES = 46;
/** Up to here a loop copies faster than `copy`, which makes a view of what it copies first. */
const LOOP_BYTES = 64;

type Pointer = bigint;

/** The functions of the C library in use. Those that fail return -1. */
interface LibC {
  socket(family: number, type: number, protocol: number): number;
  bind(fd: number, name: Uint8Array, length: number): number;
  setsockopt(fd: number, level: number, option: number, value: Uint8Array, length: number): number;
  close(fd: number): number;
  sendmmsg(fd: number, messages: Pointer, count: number, flags: number): number;
  recvmmsg(fd: number, messages: Pointer, count: number, flags: number, timeout: null): number;
  inet_pton(family: number, text: string, address: Pointer): number;
  inet_ntop(family: number, address: Pointer, text: Uint8Array, length: number): string | null;
  errno(): number;
  pointerTo(memory: Uint8Array): Pointer;
}

/** Undefined on other systems; rejects where the C library is out of reach. */
export async function openLinux(): Promise<Linux | undefined> {
  const fits =
    process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) && endianness() === 'LE';
  if (!fits) return undefined;
  const { default: koffi } = await import('koffi');
  const library = koffi.load(null);
  return new Linux({
    socket: library.func('int socket(int family, int type, int protocol)'),
    bind: library.func('int bind(int fd, const void *name, unsigned int length)'),
    setsockopt: library.func(
      'int setsockopt(int fd, int level, int option, const void *value, unsigned int length)',
    ),
    close: library.func('int close(int fd)'),
    sendmmsg: library.func('int sendmmsg(int fd, void *messages, unsigned int count, int flags)'),
    recvmmsg: library.func(
      'int recvmmsg(int fd, void *messages, unsigned int count, int flags, void *timeout)',
    ),
    inet_pton: library.func('int inet_pton(int family, const char *text, void *address)'),
    inet_ntop: library.func(
      'const char *inet_ntop(int family, const void *address, _Out_ uint8_t *text, unsigned int length)',
    ),
    errno: () => koffi.errno(),
    pointerTo: memory => koffi.address(memory),
  });
}

/** Memory for messages that one call sends or receives, each with its packet and the other end's name. */
export class MessageVector {
  readonly messages: number;
  readonly pointer: Pointer;
  readonly #libc: LibC;
  readonly #bytes: number;
  readonly #packets: Buffer;
  readonly #names: DataView;
  readonly #namesAt: Pointer;
  /** In words of 32 bits: the upper halves of lengths stay 0. */
  readonly #headers: Uint32Array;
  readonly #parts: Uint32Array;

  constructor({ libc }: Linux, { messages, bytes }: { messages: number; bytes: number }) {
    this.#libc = libc;
    this.messages = messages;
    this.#bytes = bytes;
    // Memory of its own, which stays where it is as long as it is referred to.
    this.#packets = Buffer.alloc(messages * bytes);
    const names = Buffer.alloc(messages * NAME.bytes);
    this.#names = new DataView(names.buffer, names.byteOffset, names.length);
    const headers = Buffer.alloc(messages * HEADER.bytes);
    const parts = Buffer.alloc(messages * PART.bytes);
    this.#namesAt = libc.pointerTo(names);
    const [packetsAt, partsAt] = [libc.pointerTo(this.#packets), libc.pointerTo(parts)];
    for (let i = 0; i < messages; i++) {
      parts.writeBigUInt64LE(packetsAt + BigInt(i * bytes), i * PART.bytes + PART.base);
      parts.writeBigUInt64LE(BigInt(bytes), i * PART.bytes + PART.length);
      const at = i * HEADER.bytes;
      headers.writeBigUInt64LE(this.#namesAt + BigInt(i * NAME.bytes), at + HEADER.name);
      headers.writeUInt32LE(NAME.bytes, at + HEADER.nameLength);
      headers.writeBigUInt64LE(partsAt + BigInt(i * PART.bytes), at + HEADER.parts);
      headers.writeBigUInt64LE(1n, at + HEADER.partCount);
    }
    this.pointer = libc.pointerTo(headers);
    this.#headers = words(headers);
    this.#parts = words(parts);
  }

  /** Makes ready for sending; `packet` is not longer than a message. */
  write(index: number, packet: Buffer, { address, key, port }: DatagramEndpoint): void {
    const { length } = packet;
    copyTo(this.#packets, index * this.#bytes, packet, 0, length);
    this.#parts[(index * PART.bytes + PART.length) >> 2] = length;
    const at = index * NAME.bytes;
    const isV6 = typeof key === 'string';
    this.#names.setUint16(at, isV6 ? AF_INET6 : AF_INET, true);
    this.#names.setUint16(at + NAME.port, port);
    if (isV6) this.#libc.inet_pton(AF_INET6, address, this.#namesAt + BigInt(at + NAME.v6Address));
    else this.#names.setInt32(at + NAME.v4Address, key);
    this.#headers[(index * HEADER.bytes + HEADER.nameLength) >> 2] = isV6 ? NAME.bytes : NAME.v4Bytes;
  }

  /** A copy of what is to be sent. */
  written(index: number): Buffer {
    return this.#copy(index, this.#parts[(index * PART.bytes + PART.length) >> 2] ?? 0);
  }

  /** A copy of what was received. */
  received(index: number): Buffer {
    return this.#copy(index, this.#headers[(index * HEADER.bytes + HEADER.received) >> 2] ?? 0);
  }

  /** Who sent what was received. */
  from(index: number): AddressKey {
    const at = index * NAME.bytes;
    const names = this.#names;
    if (names.getUint16(at, true) === AF_INET6) return this.#v6At(at + NAME.v6Address);
    return names.getInt32(at + NAME.v4Address);
  }

  port(index: number): number {
    return this.#names.getUint16(index * NAME.bytes + NAME.port);
  }

  /** The kernel wrote into these how long the names are: as long as may be, for the next time. */
  renew(count: number): void {
    for (let i = 0; i < count; i++) this.#headers[(i * HEADER.bytes + HEADER.nameLength) >> 2] = NAME.bytes;
  }

  #copy(index: number, length: number): Buffer {
    const at = index * this.#bytes;
    const packet = Buffer.allocUnsafe(length);
    copyTo(packet, 0, this.#packets, at, at + length);
    return packet;
  }

  #v6At(at: number): string {
    const text = new Uint8Array(ADDRESS_TEXT_BYTES);
    return this.#libc.inet_ntop(AF_INET6, this.#namesAt + BigInt(at), text, text.length) ?? '';
  }
}

function copyTo(to: Buffer, at: number, from: Buffer, start: number, end: number): void {
  if (end - start > LOOP_BYTES) from.copy(to, at, start, end);
  else for (let i = start, j = at; i < end; i++, j++) to[j] = from[i] as number;
}

/** The same memory as words of 32 bits; it begins and ends at one. */
function words(memory: Buffer): Uint32Array {
  return new Uint32Array(memory.buffer, memory.byteOffset, memory.length / Uint32Array.BYTES_PER_ELEMENT);
}

/** Sockets of the kernel's own. */
export class Linux {
  readonly libc: LibC;
  /** What `receive` received; the next call overwrites it. */
  readonly incoming: MessageVector;

  constructor(libc: LibC) {
    this.libc = libc;
    this.incoming = new MessageVector(this, RECEIVE);
  }

  /** A socket bound to a port that was free. Throws the error of the system. */
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
      ? set(IPPROTO_IPV6, IPV6_V6ONLY, 1)
      : set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
    if (fits && this.libc.bind(fd, name, name.length) === 0) return fd;
    const error = this.#error();
    this.libc.close(fd);
    throw error;
  }

  /** How many of the messages from `first` on were sent; the negative number of an error where the first was not. */
  send(fd: number, messages: MessageVector, first: number, count: number): number {
    const pointer = first === 0 ? messages.pointer : messages.pointer + BigInt(first * HEADER.bytes);
    const sent = this.libc.sendmmsg(fd, pointer, count, 0);
    return sent < 0 ? -this.libc.errno() : sent;
  }

  /** How many messages have come and are in `incoming` now. */
  receive(fd: number): number {
    const count = this.libc.recvmmsg(fd, this.incoming.pointer, this.incoming.messages, MSG_DONTWAIT, null);
    if (count <= 0) return 0;
    this.incoming.renew(count);
    return count;
  }

  #error(): Error {
    const code = getSystemErrorName(-this.libc.errno());
    return Object.assign(new Error(code), { code });
  }
}
