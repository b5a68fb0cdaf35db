import koffi from 'koffi';
import { errorDetail } from '../../../prober/answers/answer.ts';
import { BatchedSocket } from '../../../prober/transport/batched-socket.ts';
import type { Family, RejectedEndpoint } from '../../../prober/transport/datagram-socket.ts';
import type { Linux } from '../../../prober/transport/linux.ts';
import { addressText } from '../address-text.ts';

const POLLERR = 8;

/**
 * Opens a `BatchedSocket` (UDP). Returns the socket, its file descriptor and its events. `more` replaces some of
 * the system calls in `system`, to simulate errors.
 */
export async function openBatched(system: Linux, family: Family, more: Partial<Linux> = {}) {
  let fd = -1;
  const watched: Linux = Object.assign(Object.create(system), more);
  watched.boundSocket = asked => {
    fd = system.boundSocket(asked);
    return fd;
  };
  const received: string[] = [];
  const unsent: string[] = [];
  const rejected: string[] = [];
  const warnings: string[] = [];
  const socket = await BatchedSocket.bind(watched, {
    family,
    receiveBuffer: 64 * 1024,
    events: {
      received: datagram => received.push(datagram.toString()),
      unsent: ({ address, port }, error) => unsent.push(`${address} ${port} ${errorDetail(error)}`),
      rejected: ({ key, port }: RejectedEndpoint, error) =>
        rejected.push(`${addressText(key)} ${port} ${errorDetail(error)}`),
      warn: message => warnings.push(message),
    },
  });
  return { socket, fd, received, unsent, rejected, warnings };
}

/** Returns true if the socket `fd` has an unread error, for example the error from an ICMP message. */
export function isAwake(fd: number): boolean {
  const poll = koffi.load(null).func('int poll(_Inout_ uint8_t *fds, unsigned long count, int timeout)');
  // Fields of the C structure `pollfd`: the file descriptor, the requested events and the returned events.
  const fds = Buffer.alloc(8);
  fds.writeInt32LE(fd);
  poll(fds, 1, 0);
  return (fds.readInt16LE(6) & POLLERR) !== 0;
}
