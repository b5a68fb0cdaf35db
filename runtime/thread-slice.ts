import { arch } from 'node:os';

/** Numbers of the Linux system calls sched_setattr and sched_getattr, by architecture (`os.arch`). */
const CALLS: Readonly<Record<string, { set: number; get: number }>> = {
  x64: { set: 314, get: 315 },
  arm64: { set: 274, get: 275 },
};
/** Size of the structure `sched_attr` of sched_setattr(2), and the offsets of two of its fields, in bytes. */
const ATTRIBUTES = { bytes: 48, flags: 8, runtime: 24 };
/** Flag of sched_setattr(2): threads that this thread starts get the usual time slice, not its short one. */
const RESET_ON_FORK = 1n;
/**
 * The short time slice that `shortenSlice` sets, in nanoseconds: the shortest that Linux accepts. The usual time slice
 * is 1 to 3 ms.
 */
const SLICE_NS = 100_000n;

/**
 * Gives the calling thread a short time slice. When the thread wakes up, it then runs before threads with a longer time
 * slice, such as threads that execute searches or build web pages. The thread gets the same share of CPU time as
 * before. Needs Linux 6.12, and changes nothing on other systems.
 */
export function shortenSlice(): Promise<void> {
  return setSlice(0, SLICE_NS);
}

/**
 * Sets the time slice of a thread. `thread`: thread id, or process id for the main thread of a process, or 0 for the
 * calling thread. `slice`: nanoseconds. Needs Linux 6.12, and changes nothing on other systems. Source:
 * sched_setattr(2), `sched_runtime`.
 */
export async function setSlice(thread: number, slice: bigint): Promise<void> {
  const call = CALLS[arch()];
  if (process.platform !== 'linux' || !call) return;
  try {
    const { default: koffi } = await import('koffi');
    const library = koffi.load(null);
    const get = library.func(
      'long syscall(long, int, _Out_ uint8_t *attributes, unsigned int, unsigned int)',
    );
    const set = library.func('long syscall(long, int, const uint8_t *attributes, unsigned int)');
    const attributes = Buffer.alloc(ATTRIBUTES.bytes);
    if (get(call.get, thread, attributes, ATTRIBUTES.bytes, 0) !== 0) return;
    attributes.writeBigUInt64LE(
      attributes.readBigUInt64LE(ATTRIBUTES.flags) | RESET_ON_FORK,
      ATTRIBUTES.flags,
    );
    attributes.writeBigUInt64LE(slice, ATTRIBUTES.runtime);
    set(call.set, thread, attributes, 0);
  } catch {
    // If the npm package koffi is not installed, the thread keeps its time slice.
  }
}
