import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

function clockTicks(): number {
  try {
    return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
  } catch {
    return 100;
  }
}
const MICROSECONDS_A_TICK = 1_000_000 / clockTicks();

/**
 * Returns the fields of /proc/<pid>/stat, beginning with the third field. Returns undefined if the file cannot be read.
 */
function statFields(pid: number | 'self'): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field of /proc/<pid>/stat is the process name in parentheses. The name can contain spaces and
    // parentheses, so the third field begins after the last closing parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function ticks(fields: string[] | undefined, first: number): number | undefined {
  return fields && (Number(fields[first]) + Number(fields[first + 1])) * MICROSECONDS_A_TICK;
}

/**
 * Returns the CPU time that a process has used since its start (user plus system), in microseconds. The resolution is
 * one clock tick, usually 10 ms. Returns undefined outside Linux.
 */
export function cpuOf(pid: number): number | undefined {
  return ticks(statFields(pid), 11);
}

/**
 * Returns the CPU time of all ended child processes of this process, in microseconds. Returns undefined outside Linux.
 */
export function cpuOfEndedChildren(): number | undefined {
  return ticks(statFields('self'), 13);
}

/** Resident memory of a process, in bytes. */
export interface Resident {
  total: number;
  /** Resident memory that belongs to no file, such as the heap. */
  anonymous: number;
  /**
   * Resident memory of mapped files, such as the Node binary and the tables of LevelDB. The kernel can reclaim this
   * memory.
   */
  file: number;
}

/** Reads the resident memory of a process from /proc/<pid>/status. Returns undefined outside Linux. */
export function residentOf(pid: number): Resident | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const bytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
    return { total: bytes('VmRSS'), anonymous: bytes('RssAnon'), file: bytes('RssFile') };
  } catch {
    return undefined;
  }
}

/** Converts a number of bytes to MiB, for a result table of the bench. */
export function mebibytes(bytes: number | undefined): number | undefined {
  return bytes && bytes / 2 ** 20;
}
