/**
 * Memory for the messages of sendmmsg(2) and recvmmsg(2). The memory layout is that of 64-bit little-endian Linux on
 * x64 and arm64.
 */
import type { AddressKey } from '../../net/address-key.ts';
import type { DatagramEndpoint, RejectedEndpoint } from './datagram-socket.ts';
import { rejectError } from './icmp.ts';
import type { LibC, Pointer } from './libc.ts';

/** The address family of IPv4 in system calls. */
export const AF_INET = 2;
/** The address family of IPv6 in system calls of Linux. */
export const AF_INET6 = 10;

/**
 * Size of struct mmsghdr (`bytes`) and the offsets of its fields. `name`, `parts` and `control` are pointers to the
 * socket address, the iovec array and the control message. `received` is the length of the received packet.
 */
const HEADER = {
  bytes: 64,
  name: 0,
  nameLength: 8,
  parts: 16,
  partCount: 24,
  control: 32,
  controlLength: 40,
  received: 56,
};
/**
 * Layout of a control message that contains an error: struct cmsghdr, then struct sock_extended_err, then an address.
 * `bytes`: size of the message buffer. `least`: minimum size of the message. The other properties: offsets in the
 * message at which the fields of struct sock_extended_err begin.
 */
const CONTROL = { bytes: 64, least: 32, errno: 16, origin: 20, type: 21, code: 22 };
/** Size of struct iovec (`bytes`), which points to the bytes of a packet, and the offsets of its fields. */
const PART = { bytes: 16, base: 0, length: 8 };
/**
 * Sizes and offsets of a socket address: struct sockaddr_in for IPv4 and the longer struct sockaddr_in6 for IPv6.
 * Both structs start with the address family, followed by the port in network byte order.
 */
export const NAME = { bytes: 28, v4Bytes: 16, port: 2, v4Address: 4, v6Address: 8, v6AddressBytes: 16 };
const ADDRESS_TEXT_BYTES = 46;
/** Maximum length of a packet that is copied with a loop, bytes. For longer packets `Buffer.copy` is faster. */
const LOOP_BYTES = 64;

/** An ICMP message which says that a packet of the prober was rejected. */
export interface Rejection {
  endpoint: RejectedEndpoint;
  error: Error;
}

/**
 * Messages that one system call sends or receives. Each message has a packet and the address of its destination or
 * sender.
 */
export class MessageVector {
  readonly messages: number;
  readonly #pointer: Pointer;
  readonly #libc: LibC;
  readonly #bytes: number;
  readonly #packets: Buffer;
  readonly #names: DataView;
  readonly #namesAt: Pointer;
  /**
   * Headers of the messages (struct mmsghdr) as 32-bit words. The length fields have 64 bits, but their upper halves
   * are always 0. The code uses only the lower halves.
   */
  readonly #headers: Uint32Array;
  readonly #parts: Uint32Array;
  #control: DataView | undefined;

  constructor(libc: LibC, { messages, bytes }: { messages: number; bytes: number }) {
    this.#libc = libc;
    this.messages = messages;
    this.#bytes = bytes;
    // The memory of a Buffer stays at the same address while it is referenced, so pointers to it stay valid.
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
    this.#pointer = libc.pointerTo(headers);
    this.#headers = words(headers);
    this.#parts = words(parts);
  }

  /**
   * Prepares this vector for reading an error queue: allocates control messages, into which the kernel writes the
   * errors.
   */
  receiveControl(): void {
    const control = Buffer.alloc(this.messages * CONTROL.bytes);
    this.#control = new DataView(control.buffer, control.byteOffset, control.length);
    const controlAt = this.#libc.pointerTo(control);
    const { buffer, byteOffset, byteLength } = this.#headers;
    const headers = new DataView(buffer, byteOffset, byteLength);
    for (let i = 0; i < this.messages; i++) {
      const at = i * HEADER.bytes;
      headers.setBigUint64(at + HEADER.control, controlAt + BigInt(i * CONTROL.bytes), true);
      headers.setBigUint64(at + HEADER.controlLength, BigInt(CONTROL.bytes), true);
    }
  }

  /** Returns a pointer to the message header at `index`, for calls of the C library. */
  pointerTo(index: number): Pointer {
    return index === 0 ? this.#pointer : this.#pointer + BigInt(index * HEADER.bytes);
  }

  /**
   * Stores a packet and its destination as the message at `index`, ready to be sent. The packet must not be longer than
   * the maximum that the constructor received as `bytes`.
   */
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

  /** Returns a copy of the packet at `index` that `write` stored. */
  written(index: number): Buffer {
    return this.#copy(index, this.#parts[(index * PART.bytes + PART.length) >> 2] ?? 0);
  }

  /** Returns a copy of a received packet. */
  received(index: number): Buffer {
    return this.#copy(index, this.#headers[(index * HEADER.bytes + HEADER.received) >> 2] ?? 0);
  }

  /** Returns the address of the sender of a received packet. */
  from(index: number): AddressKey {
    const at = index * NAME.bytes;
    const names = this.#names;
    if (names.getUint16(at, true) === AF_INET6) return this.#v6At(at + NAME.v6Address);
    return names.getInt32(at + NAME.v4Address);
  }

  port(index: number): number {
    return this.#names.getUint16(index * NAME.bytes + NAME.port);
  }

  /**
   * Returns the error with which a packet was rejected, and the destination of this packet. Reads both from the message
   * at `index`, which came from the error queue of a socket. Returns undefined if the message reports no rejected
   * packet.
   */
  rejection(index: number): Rejection | undefined {
    const header = index * HEADER.bytes;
    const control = this.#control;
    const told = this.#headers[(header + HEADER.controlLength) >> 2] ?? 0;
    // Skips an error without a destination address: such an error does not come from an ICMP message, but from this
    // machine.
    if (!control || told < CONTROL.least || this.#headers[(header + HEADER.nameLength) >> 2] === 0)
      return undefined;
    const at = index * CONTROL.bytes;
    const error = rejectError({
      errno: control.getUint32(at + CONTROL.errno, true),
      origin: control.getUint8(at + CONTROL.origin),
      type: control.getUint8(at + CONTROL.type),
      code: control.getUint8(at + CONTROL.code),
    });
    return error && { endpoint: { key: this.from(index), port: this.port(index) }, error };
  }

  /**
   * Sets the lengths of socket addresses and control messages in the message headers back to their maximum. Must be
   * called after each receive, because the kernel overwrites these lengths.
   */
  renew(count: number): void {
    for (let i = 0; i < count; i++) {
      const at = i * HEADER.bytes;
      this.#headers[(at + HEADER.nameLength) >> 2] = NAME.bytes;
      if (this.#control) this.#headers[(at + HEADER.controlLength) >> 2] = CONTROL.bytes;
    }
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

/** Returns a view of a buffer's memory as 32-bit words. The memory must be aligned to 4 bytes. */
function words(memory: Buffer): Uint32Array {
  return new Uint32Array(memory.buffer, memory.byteOffset, memory.length / Uint32Array.BYTES_PER_ELEMENT);
}
