import type { Now } from '../../runtime/clock.ts';
import type { BaseUrl } from '../json/base-url.ts';
import type { CoreReads } from './core-reads.ts';
import type { GameNames } from './game-names.ts';
import { listPage } from './list-page.ts';
import { type AnswerVisit, pageAnswer } from './page-answer.ts';
import type { PageContext } from './page-context.ts';
import { serverPage } from './server-page.ts';
import { statusPage } from './status-page.ts';

/** Dependencies of the functions that answer with HTML pages. */
export interface PagesContext extends PageContext {
  reads: CoreReads;
  games: GameNames;
  baseUrl: BaseUrl;
  now: Now;
}

/**
 * Returns the functions that answer requests for HTML pages: the list of tracked servers, the page of one server, and
 * the status page of gsq.
 */
export function pagesOf(context: PagesContext) {
  const { reads, games, baseUrl, now } = context;
  return {
    list_page: pageAnswer(context, 'servers', visit => listPage(visit, reads, games)),
    server_page: pageAnswer(context, 'servers', visit => serverPage(visit, reads, games, baseUrl, now)),
    status_page: pageAnswer(context, 'servers', visit => statusPage(visit, reads, games)),
  } satisfies Record<string, AnswerVisit>;
}
