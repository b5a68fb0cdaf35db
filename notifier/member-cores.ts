import { CoreClients } from '../proto/cluster/core-clients.ts';
import type { Members } from '../proto/cluster/members.ts';
import type { NotifyServiceClient } from '../proto/generated/gsq/v1/NotifyService.ts';
import type { NotifyCores } from './lease-loop.ts';

/**
 * Chooses the core that the notifier (the process that sends webhook requests) calls. After a failed call, chooses the
 * next core of the cluster.
 */
export class MemberCores implements NotifyCores {
  readonly #members: Pick<Members, 'addresses' | 'watch'>;
  readonly #clients: CoreClients<NotifyServiceClient>;
  /**
   * Address of the core that the notifier calls. If this core has left the cluster, the notifier calls the first core.
   */
  #current = '';

  /** `clientOf`: creates the gRPC client for the core at an address, `host:port`. */
  constructor(
    members: Pick<Members, 'addresses' | 'watch'>,
    clientOf: (address: string) => NotifyServiceClient,
  ) {
    this.#members = members;
    this.#clients = new CoreClients(members, clientOf);
  }

  get client(): NotifyServiceClient {
    const { addresses } = this.#members;
    if (!addresses.includes(this.#current)) this.#current = addresses[0] ?? '';
    return this.#clients.clientOf(this.#current);
  }

  leaveCore(failed: NotifyServiceClient): void {
    // If a core dies, several calls to it fail together. Only the first of these failures may switch to the next core.
    if (failed !== this.client) return;
    const { addresses } = this.#members;
    this.#current = addresses[(addresses.indexOf(this.#current) + 1) % addresses.length] ?? '';
  }

  close(): void {
    this.#clients.close();
  }
}
