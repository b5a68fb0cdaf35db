import type { DirectoryQuestion } from '../../../prober/directories/directory.ts';
import { DirectoryClient, type DirectoryNote } from '../../../prober/directories/directory-client.ts';
import type { Pause } from '../../../prober/directories/directory-host.ts';
import { guardedLookup } from '../../../prober/directories/guarded-lookup.ts';
import { HttpClient } from '../../../prober/http/http-client.ts';
import { ManualClock } from '../politeness/manual-clock.ts';
import type { Answering, FakeDirectories } from './fake-directories.ts';
import { questionAbout } from './game-of-directory.ts';
import { game } from './games.ts';

/** User-Agent header that clients for public server lists send in tests. */
export const USER_AGENT = 'gsq/0.0.0 (admin@example.net)';

/** A client for public server lists in tests, with its clock and its events. */
export interface OpenedClient {
  client: DirectoryClient;
  clock: ManualClock;
  notes: DirectoryNote[];
  /**
   * Returns the pauses that the client has reported in `notes`. During a pause, the client sends no requests to a
   * public server list.
   */
  pauses(): Pause[];
  close(): void;
}

/**
 * Opens a client for public server lists, which sends its requests to the fake lists. The clock of the client advances
 * only if the test advances this clock.
 */
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

/**
 * Opens a client for a fake public server list with ten servers of one game. The returned functions: `answer` replaces
 * the answers of the list, and `ask` looks up server number `i`.
 */
export function openGameClient(fake: FakeDirectories, protocol: string) {
  const about = game(protocol);
  fake.seen.length = 0;
  const answer = (answering: Answering) => {
    for (const host of about.hosts) fake.answering.set(host, answering);
  };
  answer(about.answers(10));
  const opening = openClient(fake);
  const ask = (more: Partial<DirectoryQuestion> = {}, i = 0) =>
    opening.client.ask({ ...questionAbout(about, i), ...more });
  return { ...opening, about, answer, ask };
}
