import { reasons } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { CallerGone, errorReply } from '../http/error-reply.ts';
import { type Exchange, incomingOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { overloaded } from '../upstream/core-errors.ts';
import { type Page, renderDocument } from './document.ts';
import type { PageContext } from './page-context.ts';
import { pageSecurity } from './security-headers.ts';
import { html } from './views/html.ts';

/** Builds a page for a request. Rejects with ServiceError if the page cannot be shown; the error becomes a page. */
export type BuildPage = (exchange: Exchange) => Page | Promise<Page>;

/** What a page shows: the tracked servers, which not everybody may see, or only documents. */
export type Subject = 'servers' | 'documents';

/** Serves an HTML page. If the page cannot be shown, browsers get a page with the error, and other callers get JSON. */
export class PageEndpoint implements Endpoint {
  readonly name: string;
  /**
   * Undefined (all methods) if the page is never shown. Its path must then look as if it did not exist: every method
   * gets 404.
   */
  readonly method: 'GET' | undefined;
  readonly acceptsHead = true;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = false;
  readonly #context: PageContext;
  readonly #subject: Subject;
  readonly #build: BuildPage;

  /** `subject`: a page with the subject `documents` is shown to everybody, even if GSQ_PAGE is off. */
  constructor(name: string, context: PageContext, subject: Subject, build: BuildPage) {
    this.name = name;
    this.method = context.isOn || subject === 'documents' ? 'GET' : undefined;
    this.#context = context;
    this.#subject = subject;
    this.#build = build;
  }

  async answer(exchange: Exchange): Promise<Reply> {
    try {
      if (this.#subject === 'servers') this.#checkVisibility(exchange);
      return await this.#context.budget.build(
        async () => this.#build(exchange),
        page => this.#replyWith(exchange, page),
      );
    } catch (error) {
      if (error === overloaded || error instanceof CallerGone || !(error instanceof ServiceError))
        throw error;
      if (!incomingOf(exchange).headers.accept?.includes('text/html')) throw error;
      const { headers, code } = errorReply(error, exchange.id);
      const reply = this.#replyWith(exchange, errorPage(error, exchange.id));
      return { ...reply, ...(code !== undefined && { code }), headers: { ...reply.headers, ...headers } };
    }
  }

  #checkVisibility(exchange: Exchange): void {
    if (!this.#context.isOn) throw pageIsOff();
    this.#context.publicPaths.checkPublicHost(incomingOf(exchange));
  }

  #replyWith(exchange: Exchange, page: Page): Reply {
    const path = incomingOf(exchange).url?.split('?', 1)[0] ?? '';
    const headers = {
      ...pageSecurity,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': page.cacheControl ?? 'no-store',
      Vary: 'Accept, Accept-Encoding',
    };
    return { status: page.status ?? 200, headers, body: renderDocument(page, path, this.#context) };
  }
}

function pageIsOff(): ServiceError {
  return new ServiceError(
    'ROUTE_1',
    'This service shows no pages. If you run it, start it with GSQ_PAGE=on to let anybody see the tracked servers.',
  );
}

function errorPage(error: ServiceError, requestId: string): Page {
  const status = reasons[error.code].http;
  const title = status === 404 ? 'Not found' : status === 429 ? 'Too many requests' : 'Not available';
  return {
    title: `${title} · gsq`,
    description: title,
    status,
    main: html`<section class="error">
      <h1>${title}</h1>
      <p>${error.message}</p>
      <p class="quiet">${error.code} · request ${requestId}</p>
      <p><a href="/">All servers</a></p>
    </section>`,
  };
}
