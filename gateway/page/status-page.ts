import type { RestServiceStatus, RestSummary } from '../../client/rest-types.generated.ts';
import type { CoreReads } from './core-reads.ts';
import type { Page } from './document.ts';
import type { GameNames } from './game-names.ts';
import { html } from './views/html.ts';
import { findings, ServiceStatus } from './views/service-status.ts';
import type { Visit } from './visit.ts';

/** Builds the page `/status`: how well the service itself works. */
export async function statusPage(visit: Visit, reads: CoreReads, games: GameNames): Promise<Page> {
  const status = await reads.read<RestServiceStatus>(visit, 'status', {});
  const [summary, names] = await Promise.all([
    reads.read<RestSummary>(visit, 'summary', {}, true),
    games.load(),
  ]);
  const isFine = findings(status).every(({ isGood }) => isGood);
  return {
    title: `${isFine ? 'All well' : 'Needs attention'} · gsq`,
    description: 'How well this game server query service works',
    main: html`<${ServiceStatus} status=${status} summary=${summary} names=${names} />`,
  };
}
