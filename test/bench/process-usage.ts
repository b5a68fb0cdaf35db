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

/** Fields of /proc/<pid>/stat from the third on; undefined where there is no such file. */
function statFields(pid: number | 'self'): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second is a name in brackets that may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function ticks(fields: string[] | undefined, first: number): number | undefined {
  return fields && (Number(fields[first]) + Number(fields[first + 1])) * MICROSECONDS_A_TICK;
}

/** CPU a process has used so far, user and system, in microseconds (to a tick, 10 ms); undefined off Linux. */
export function cpuOf(pid: number): number | undefined {
  return ticks(statFields(pid), 11);
}

/** The same of all children of this process that have ended. */
export function cpuOfEndedChildren(): number | undefined {
  return ticks(statFields('self'), 13);
}

/** Resident memory of a process in bytes. */
export interface Resident {
  total: number;
  /** What only it has: heap, arenas. */
  anonymous: number;
  /** Files it has mapped: the binary, LevelDB's tables. The kernel takes this back when it needs it. */
  file: number;
}

/** From /proc/<pid>/status; undefined off Linux. */
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

/** For tables. */
export function mebibytes(bytes: number | undefined): number | undefined {
  return bytes && bytes / 2 ** 20;
}
