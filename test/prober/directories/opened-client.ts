import { DirectoryClient, type DirectoryNote } from '../../../prober/directories/directory-client.ts';
import type { Pause } from '../../../prober/directories/directory-host.ts';
import { guardedLookup } from '../../../prober/directories/guarded-lookup.ts';
import { HttpClient } from '../../../prober/http/http-client.ts';
import { ManualClock } from '../politeness/manual-clock.ts';
import type { FakeDirectories } from './fake-directories.ts';

/** User-Agent header of the directory client in tests. */
export const USER_AGENT = 'gsq/0.0.0 (admin@example.net)';

/** A directory client for tests, with its clock and its events. */
export interface OpenedClient {
  client: DirectoryClient;
  clock: ManualClock;
  notes: DirectoryNote[];
  /** Returns the pauses that the client has reported. */
  pauses(): Pause[];
  close(): void;
}

/** Opens a directory client that sends its requests to the fake directories. The test advances its clock. */
export function openClient(
  fake: FakeDirectories,
  { optIn = ['vintagestory'], pauses = [] as readonly Pause[], maxBytes = 1 << 20 } = {},
): OpenedClient {
  const clock = new ManualClock();
  const now = () => clock.now;
  const http = new HttpClient({
    lookup: guardedLookup({
      resolve: async () => ({ kind: 'addresses', addresses: ['127.0.0.1'] }),
      allows: () => true,
    }),
    userAgent: USER_AGENT,
    wheel: clock.wheel,
    ca: fake.ca,
    maxBytes,
  });
  const notes: DirectoryNote[] = [];
  const { origins } = fake;
  const client = new DirectoryClient({ http, now, optIn, pauses, origins, onNote: note => notes.push(note) });
  return {
    client,
    clock,
    notes,
    pauses: () => notes.flatMap(note => (note.kind === 'pause' ? [note.pause] : [])),
    close: () => http.close(),
  };
}
