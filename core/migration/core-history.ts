import type { BackupHistory } from '../../proto/codec/backup-lines.ts';
import type { HistoryDirectories__Output } from '../../proto/generated/gsq/v1/HistoryDirectories.ts';
import type { MoveStoreRequest } from '../../proto/generated/gsq/v1/MoveStoreRequest.ts';
import type { MoveStoreResponse__Output } from '../../proto/generated/gsq/v1/MoveStoreResponse.ts';
import { historyLine, keyLine } from '../store/history/history-backup.ts';
import type { HistorySource } from './copy-history.ts';

const START = Buffer.alloc(0);

/** The history of a running core with the embedded store. Only the core may open the directories of its history. */
export class CoreHistory implements HistorySource {
  readonly #send: (request: MoveStoreRequest) => Promise<MoveStoreResponse__Output>;

  /** `send`: sends a request to the core (method ClusterService.MoveStore), and resolves to the response. */
  constructor(send: (request: MoveStoreRequest) => Promise<MoveStoreResponse__Output>) {
    this.#send = send;
  }

  async versions(): Promise<ReadonlyMap<string, string>> {
    const { directories } = await this.#look();
    return new Map(directories.map(({ path, version }) => [path, String(version)]));
  }

  async *lines(paths?: ReadonlySet<string>): AsyncGenerator<BackupHistory> {
    const { secret, directories } = await this.#look();
    yield keyLine(secret);
    for (const { path } of directories) if (!paths || paths.has(path)) yield* this.#linesOf(path);
  }

  async *#linesOf(path: string): AsyncGenerator<BackupHistory> {
    let page = this.#send({ readHistory: { path, after: START } });
    for (;;) {
      const { historyEntries } = await page;
      const last = historyEntries.at(-1);
      if (!last) return;
      // Requests the next history entries now, so that they arrive while the caller works with the current entries.
      page = this.#send({ readHistory: { path, after: last.key } });
      page.catch(() => {});
      yield historyLine(
        path,
        historyEntries.map(({ key, value }) => [key, value]),
      );
    }
  }

  async #look(): Promise<HistoryDirectories__Output> {
    const { history } = await this.#send({ lookHistory: true });
    // A core of an earlier release ignores the field `lookHistory`, and sends an empty response. Such a core must be
    // upgraded before the migration.
    if (!history) throw new Error('the core does not hand over its history; upgrade it first');
    return history;
  }
}
