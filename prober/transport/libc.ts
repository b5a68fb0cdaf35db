import { endianness } from 'node:os';

/** An address in the memory of this process, as an argument for functions of the C library. */
export type Pointer = bigint;

/** The functions of the C library that the prober calls. A function that returns a number returns -1 if it fails. */
export interface LibC {
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

/**
 * Loads the C library on 64-bit Linux. Resolves to undefined on other systems. Rejects if the library cannot be loaded.
 */
export async function loadLibC(): Promise<LibC | undefined> {
  const fits =
    process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) && endianness() === 'LE';
  if (!fits) return undefined;
  const { default: koffi } = await import('koffi');
  const library = koffi.load(null);
  return {
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
  };
}
