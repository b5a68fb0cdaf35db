import { CoreClients } from '../proto/cluster/core-clients.ts';
import type { Members } from '../proto/cluster/members.ts';
import type { NotifyServiceClient } from '../proto/generated/gsq/v1/NotifyService.ts';
import type { NotifyCores } from './lease-loop.ts';

/** Calls one core of the cluster, and the next one after a failed call. */
export class MemberCores implements NotifyCores {
  readonly #members: Pick<Members, 'addresses' | 'watch'>;
  readonly #clients: CoreClients<NotifyServiceClient>;
  /** Address of the current core. If this core has left the cluster, the first core is the current one. */
  #current = '';

  /** `clientOf`: creates the client for the calls to a core, by the address of the core. */
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
    // Several calls to a core that died fail together, and must not skip several cores.
    if (failed !== this.client) return;
    const { addresses } = this.#members;
    this.#current = addresses[(addresses.indexOf(this.#current) + 1) % addresses.length] ?? '';
  }

  close(): void {
    this.#clients.close();
  }
}
