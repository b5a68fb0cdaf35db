import koffi from 'koffi';
import type { FleetServer, Responder } from '../fleet/responder.ts';

const library = koffi.load(null);
const socket = library.func('int socket(int family, int type, int protocol)');
const bind = library.func('int bind(int fd, const void *name, unsigned int length)');
const setsockopt = library.func(
  'int setsockopt(int fd, int level, int option, const void *value, unsigned int length)',
);
const poll = library.func('int poll(void *descriptors, unsigned long count, int timeout)');
const recvmmsg = library.func(
  'int recvmmsg(int fd, void *messages, unsigned int count, int flags, void *timeout)',
);
const sendmmsg = library.func('int sendmmsg(int fd, void *messages, unsigned int count, int flags)');
const close = library.func('int close(int fd)');

const AF_INET = 2;
const SOCK_DGRAM_CLOEXEC = 0o2000002;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const IPPROTO_IP = 0;
const IP_PKTINFO = 8;
const MSG_DONTWAIT = 0x40;
const POLLIN = 1;

const RECEIVE_BUFFER = 8 * 1024 * 1024;
/** Longest wait of one poll call, in milliseconds. During the wait the whole process is blocked. */
const POLL_MS = 5;
const MESSAGES = 256;
const PACKET_BYTES = 1400;
const KEPT_REPLIES = 4;
const NAME_BYTES = 16;
/**
 * Layout of a control message (struct cmsghdr with struct in_pktinfo): its size in bytes and the offsets of its fields.
 * `source`: sender address. `destination`: receiver address.
 */
const CONTROL = { bytes: 32, interface: 16, source: 20, destination: 24 };
/** Layout of struct mmsghdr: its size in bytes and the offsets of its fields. */
const HEADER = {
  bytes: 64,
  name: 0,
  nameLength: 8,
  parts: 16,
  partCount: 24,
  control: 32,
  controlLength: 40,
};
const RECEIVED_AT = 56;
const PART = { bytes: 16, length: 8 };

/** Buffers for a batch of packets: the packets, their addresses and their control data. */
class Messages {
  readonly packets = Buffer.alloc(MESSAGES * PACKET_BYTES);
  readonly names = Buffer.alloc(MESSAGES * NAME_BYTES);
  readonly controls = Buffer.alloc(MESSAGES * CONTROL.bytes);
  readonly parts = Buffer.alloc(MESSAGES * PART.bytes);
  readonly headers = Buffer.alloc(MESSAGES * HEADER.bytes);

  constructor() {
    for (let i = 0; i < MESSAGES; i++) {
      const at = i * HEADER.bytes;
      this.parts.writeBigUInt64LE(koffi.address(this.packets) + BigInt(i * PACKET_BYTES), i * PART.bytes);
      this.headers.writeBigUInt64LE(koffi.address(this.names) + BigInt(i * NAME_BYTES), at + HEADER.name);
      this.headers.writeBigUInt64LE(koffi.address(this.parts) + BigInt(i * PART.bytes), at + HEADER.parts);
      this.headers.writeBigUInt64LE(1n, at + HEADER.partCount);
      this.headers.writeBigUInt64LE(
        koffi.address(this.controls) + BigInt(i * CONTROL.bytes),
        at + HEADER.control,
      );
      this.renew(i, PACKET_BYTES);
    }
  }

  /**
   * Sets the sizes of the buffers of message `i` before a system call. `packetBytes` is the size of the packet buffer.
   * The buffers for the address and the control data have fixed sizes.
   */
  renew(i: number, packetBytes: number): void {
    this.parts.writeUInt32LE(packetBytes, i * PART.bytes + PART.length);
    this.headers.writeUInt32LE(NAME_BYTES, i * HEADER.bytes + HEADER.nameLength);
    this.headers.writeUInt32LE(CONTROL.bytes, i * HEADER.bytes + HEADER.controlLength);
  }
}

/**
 * Fake UDP servers of one protocol. All share one port and one socket; tens of thousands of sockets would use much more
 * CPU. Linux only.
 */
export class Crowd {
  readonly #fd: number;
  readonly #respond: (server: FleetServer, request: Buffer) => Buffer[];
  /**
   * Fake servers, keyed by IPv4 address (as a number). `replies`: cached replies of a server, keyed by request. The
   * cache is useful because the bench repeats its requests.
   */
  readonly #servers = new Map<number, { server: FleetServer; replies: Map<string, Buffer[]> }>();
  readonly #incoming = new Messages();
  readonly #outgoing = new Messages();
  readonly #descriptor = Buffer.alloc(8);
  #written = 0;
  #next: NodeJS.Immediate;

  constructor(
    responder: Responder & { transport: 'udp' },
    port: number,
    members: readonly { address: string; server: FleetServer }[],
  ) {
    this.#respond = responder.respond;
    for (const { address, server } of members)
      this.#servers.set(numberOf(address), { server, replies: new Map() });
    this.#fd = socket(AF_INET, SOCK_DGRAM_CLOEXEC, 0);
    const name = Buffer.alloc(NAME_BYTES);
    name.writeUInt16LE(AF_INET);
    name.writeUInt16BE(port, 2);
    const failed =
      setsockopt(this.#fd, IPPROTO_IP, IP_PKTINFO, Uint32Array.of(1), 4) < 0 ||
      setsockopt(this.#fd, SOL_SOCKET, SO_RCVBUF, Uint32Array.of(RECEIVE_BUFFER), 4) < 0 ||
      bind(this.#fd, name, name.length) < 0;
    if (failed) throw new Error(`no socket for a crowd: error ${koffi.errno()}`);
    this.#descriptor.writeInt32LE(this.#fd);
    this.#descriptor.writeInt16LE(POLLIN, 4);
    this.#next = setImmediate(() => this.#turn());
  }

  close(): void {
    clearImmediate(this.#next);
    close(this.#fd);
  }

  #turn(): void {
    this.#next = setImmediate(() => this.#turn());
    if (poll(this.#descriptor, 1, POLL_MS) <= 0) return;
    const count = recvmmsg(this.#fd, this.#incoming.headers, MESSAGES, MSG_DONTWAIT, null);
    for (let i = 0; i < count; i++) this.#answer(i);
    this.#flush();
  }

  #answer(i: number): void {
    const { packets, names, controls, headers } = this.#incoming;
    const control = i * CONTROL.bytes;
    const length = headers.readUInt32LE(i * HEADER.bytes + RECEIVED_AT);
    const destination = controls.readUInt32BE(control + CONTROL.destination);
    const member = this.#servers.get(destination);
    if (member) {
      const at = i * PACKET_BYTES;
      const request = packets.toString('latin1', at, at + length);
      let replies = member.replies.get(request);
      if (!replies) {
        replies = this.#respond(member.server, packets.subarray(at, at + length));
        if (member.replies.size < KEPT_REPLIES) member.replies.set(request, replies);
      }
      for (const reply of replies) {
        const name = names.subarray(i * NAME_BYTES, (i + 1) * NAME_BYTES);
        this.#write(reply, name, controls.subarray(control, control + CONTROL.bytes));
      }
    }
    this.#incoming.renew(i, PACKET_BYTES);
  }

  #write(reply: Buffer, name: Buffer, control: Buffer): void {
    if (reply.length > PACKET_BYTES) throw new RangeError(`a reply of ${reply.length} bytes`);
    const { packets, names, controls } = this.#outgoing;
    const i = this.#written++;
    const at = i * CONTROL.bytes;
    reply.copy(packets, i * PACKET_BYTES);
    name.copy(names, i * NAME_BYTES);
    control.copy(controls, at);
    // Makes the reply come from the IP address to which the request was sent. The kernel can choose the network
    // interface, so the interface number is 0.
    controls.writeUInt32LE(0, at + CONTROL.interface);
    control.copy(controls, at + CONTROL.source, CONTROL.destination, CONTROL.bytes - 4);
    this.#outgoing.renew(i, reply.length);
    if (this.#written === MESSAGES) this.#flush();
  }

  #flush(): void {
    let sent = 0;
    while (sent < this.#written) {
      const from = koffi.address(this.#outgoing.headers) + BigInt(sent * HEADER.bytes);
      const count = sendmmsg(this.#fd, from, this.#written - sent, 0);
      // Skips a reply packet that the kernel cannot send. Such a packet counts as lost.
      sent += Math.max(1, count);
    }
    this.#written = 0;
  }
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
}
