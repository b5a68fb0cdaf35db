import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Returns the ports of all IPv4 UDP sockets of a process. Returns an empty list if the process has ended. */
export function udpPortsOf(pid: number): number[] {
  try {
    const inodes = new Set(
      readdirSync(`/proc/${pid}/fd`).flatMap(fd => /^socket:\[(\d+)\]$/.exec(linkOf(pid, fd))?.[1] ?? []),
    );
    return readFileSync(`/proc/${pid}/net/udp`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.trim().split(/\s+/))
      .filter(columns => inodes.has(columns[9] ?? ''))
      .map(columns => Number.parseInt(columns[1]?.split(':')[1] ?? '', 16));
  } catch {
    return [];
  }
}

/** Returns the file or socket to which a file descriptor of a process refers. Empty if the process has closed it. */
function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}
