import { reasons } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { errorReply } from '../http/error-reply.ts';
import type { Reply } from '../http/exchange.ts';
import type { PublicPaths } from '../json/public-paths.ts';
import { overloaded } from '../upstream/core-errors.ts';
import { type Page, renderDocument } from './document.ts';
import type { PageContext } from './page-context.ts';
import type { PageRoute } from './page-routes.ts';
import { pageSecurity } from './security-headers.ts';
import { html } from './views/html.ts';
import type { Visit } from './visit.ts';

/**
 * Answers a visit (an HTTP request for a page or an image). Rejects with ServiceError if the visit is refused. The
 * client then gets the error as JSON.
 */
export type AnswerVisit = (visit: Visit) => Promise<Reply>;

/**
 * Builds the page for a visit (an HTTP request for a page). Throws or rejects with ServiceError if the page cannot be
 * shown. The caller of this function then builds a page with the error.
 */
export type BuildPage = (visit: Visit) => Page | Promise<Page>;

/**
 * Returns a function that answers requests for a page. If the page cannot be shown, browsers get a page with the error.
 * GSQ_PAGE=off hides the pages that show servers, but not the documentation.
 */
export function pageAnswer(context: PageContext, shows: PageRoute['shows'], build: BuildPage): AnswerVisit {
  return async visit => {
    try {
      if (shows === 'servers') checkVisibility(context, visit, 'pages');
      return replyWith(context, visit, await build(visit));
    } catch (error) {
      if (error === overloaded || !(error instanceof ServiceError) || !visit.acceptsHtml) throw error;
      const { headers, code } = errorReply(error, visit.id);
      const page = errorPage(error.message, error, visit.id);
      const reply = replyWith(context, visit, page);
      return { ...reply, ...(code !== undefined && { code }), headers: { ...reply.headers, ...headers } };
    }
  };
}

/**
 * Throws ROUTE_1 if callers without a token may not see the tracked servers (GSQ_PAGE=off), or if the Host header is
 * not accepted. `what`: the word for the refused content in the error message, such as `pages`.
 */
export function checkVisibility(
  { isOn, publicPaths }: { isOn: boolean; publicPaths: PublicPaths },
  { host }: Visit,
  what: string,
): void {
  if (!isOn) {
    throw new ServiceError(
      'ROUTE_1',
      `This service shows no ${what}. If you run it, start it with GSQ_PAGE=on to let anybody see the tracked servers.`,
    );
  }
  publicPaths.checkPublicHost(host);
}

/**
 * Returns the error page that browsers get while too many people request pages. The page contains no request id,
 * because it is built in advance, once for all requests.
 */
export function busyReply(context: PageContext): Reply {
  const error = new ServiceError('CORE_1', '', { retryAfterSeconds: 1 });
  const { headers } = errorReply(error, '');
  const message = 'Too many people look at this service at the moment; try again.';
  const reply = replyWith(context, { path: '' }, errorPage(message, error));
  return { ...reply, code: error.code, headers: { ...reply.headers, ...headers } };
}

function replyWith(context: PageContext, { path }: Pick<Visit, 'path'>, page: Page): Reply {
  const headers = {
    ...pageSecurity,
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': page.cacheControl ?? 'no-store',
    Vary: 'Accept, Accept-Encoding',
  };
  return { status: page.status ?? 200, headers, body: renderDocument(page, path, context) };
}

function errorPage(message: string, { code }: ServiceError, requestId?: string): Page {
  const status = reasons[code].http;
  const title = status === 404 ? 'Not found' : status === 429 ? 'Too many requests' : 'Not available';
  return {
    title: `${title} · gsq`,
    description: title,
    status,
    main: html`<section class="error">
      <h1>${title}</h1>
      <p>${message}</p>
      <p class="quiet">${code}${requestId !== undefined && ` · request ${requestId}`}</p>
      <p><a href="/">All servers</a></p>
    </section>`,
  };
}
