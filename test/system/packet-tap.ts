import koffi from 'koffi';

const AF_PACKET = 17;
const SOCK_DGRAM = 2;
const ETH_P_IP = 0x0800;
const MSG_DONTWAIT = 0x40;
const SOL_SOCKET = 1;
const SO_RCVBUFFORCE = 33;
const SOL_PACKET = 263;
const PACKET_STATISTICS = 6;
const SIOCGSTAMPNS = 0x8907;
const RECEIVE_BUFFER = 16 * 1024 * 1024;
/** Offset of the destination address in an IPv4 header, in bytes. */
const DESTINATION = 16;
const HEADER_BYTES = 64;

const network16 = (value: number): number => ((value & 0xff) << 8) | (value >> 8);

/** A received IPv4 packet. */
export interface Arrival {
  /** Destination address of the received packet. */
  to: string;
  /** Time at which the kernel received the packet, in milliseconds since the Unix epoch. */
  at: number;
}

/**
 * Records every IPv4 packet that arrives at a network interface, with any destination address. Requires 64-bit Linux
 * and root.
 */
export class PacketTap {
  readonly #library = koffi.load(null);
  readonly #receive = this.#library.func('int recv(int fd, _Out_ uint8_t *memory, size_t length, int flags)');
  readonly #control = this.#library.func('int ioctl(int fd, unsigned long request, _Out_ int64_t *stamp)');
  readonly #option = this.#library.func(
    'int getsockopt(int fd, int level, int option, _Out_ uint32_t *value, _Inout_ uint32_t *length)',
  );
  readonly #fd: number;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #stamp = new BigInt64Array(2);

  constructor() {
    const socket = this.#library.func('int socket(int family, int type, int protocol)');
    this.#fd = socket(AF_PACKET, SOCK_DGRAM, network16(ETH_P_IP));
    if (this.#fd < 0)
      throw new Error(`no packets can be heard (errno ${koffi.errno()}); run this as root, on Linux`);
    const setOption = this.#library.func(
      'int setsockopt(int fd, int level, int option, const int *value, unsigned int length)',
    );
    setOption(this.#fd, SOL_SOCKET, SO_RCVBUFFORCE, [RECEIVE_BUFFER], 4);
  }

  /**
   * Returns the packets that arrived at the network interface since the last call. Throws if the kernel dropped a
   * packet.
   */
  arrivals(): Arrival[] {
    const all: Arrival[] = [];
    while (this.#receive(this.#fd, this.#header, HEADER_BYTES, MSG_DONTWAIT) > 0) {
      this.#control(this.#fd, SIOCGSTAMPNS, this.#stamp);
      const [seconds = 0n, nanoseconds = 0n] = this.#stamp;
      const to = this.#header.subarray(DESTINATION, DESTINATION + 4).join('.');
      all.push({ to, at: Number(seconds) * 1000 + Number(nanoseconds) / 1e6 });
    }
    const [, lost = 0] = this.#statistics();
    if (lost > 0) throw new Error(`${lost} packets were not heard`);
    return all;
  }

  /** Returns how many packets the kernel has received and how many it has dropped since the last call. */
  #statistics(): Uint32Array {
    const counts = new Uint32Array(2);
    this.#option(this.#fd, SOL_PACKET, PACKET_STATISTICS, counts, [8]);
    return counts;
  }
}
