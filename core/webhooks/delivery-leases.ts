import type { Deliveries } from './deliveries.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { QueueItem } from './delivery-queue.ts';
import { type DeliveryRequest, discordRequest, jsonRequest } from './delivery-request.ts';
import { discordView } from './discord-view.ts';
import type { HostRate } from './host-rate.ts';
import type { MessageIds } from './message-ids.ts';
import { GIVE_UP_MS, LONGEST_GAP_MS, retryAfterWait, retryWait } from './retry-schedule.ts';
import { hostOf } from './target-url.ts';
import type { Webhook } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

/** Maximum duration of the HTTP request of a delivery, ms. */
export const TIMEOUT_MS = 15_000;
/** Duration of the lease of a delivery, ms. It leaves time to send the request and to report the result. */
const LEASE_MS = 2 * TIMEOUT_MS;
/** Delay of a delivery if its target host has reached the limit of deliveries per minute, ms. */
const HOST_WAIT_MS = 1_000;
/** Delay of a delivery if the record of its server must first be read from another core, ms. */
const READ_WAIT_MS = 500;
const GONE = 410;
const NOT_FOUND = 404;

/** The HTTP request of a delivery that is leased to a notifier (the process that sends webhooks). */
export interface LeasedRequest extends DeliveryRequest {
  leaseId: number;
}

/** Report of a notifier (the process that sends webhooks) about a delivery that was leased to it. */
export interface DeliveryReport {
  leaseId: number;
  /** HTTP status of the receiver's answer; 0 if there was no answer. */
  httpStatus: number;
  error: string;
  /**
   * True if the failed attempt does not count as a failure of the receiver. Either the notifier could not send the
   * request for a reason of its own, or it reported no result.
   */
  notSent: boolean;
  /** Number of seconds to wait, from the header Retry-After of the answer. 0 if the answer has no such header. */
  retryAfterSeconds: number;
  body: Buffer;
  durationMs: number;
}

/** Dependencies of `DeliveryLeases` (leases webhook deliveries to notifiers). */
export interface DeliveryLeasesDependencies {
  webhooks: Webhooks;
  deliveries: Deliveries;
  log: DeliveryLog;
  messages: MessageIds;
  hostRate: HostRate;
  /** Returns the name of a game in the catalog. */
  gameName(gameId: string): string;
  /** True if the token exists and is neither revoked nor expired. */
  isLive(tokenId: string): boolean;
  /**
   * Returns the current payload of a server as JSON text. Returns the text `null` if the server is not tracked, and
   * undefined if its record must first be read from another core.
   */
  currentPayload(server: string): string | undefined;
  /** Disables a webhook and drops its queue. */
  disable(webhook: Webhook, reason: string): void;
  now: () => number;
}

interface Lease {
  item: QueueItem;
  until: number;
  method: DeliveryRequest['method'];
}

/** Counters of attempts to send deliveries, for the metrics. */
export interface AttemptCounts {
  delivered: number;
  failed: number;
}

/** Leases due deliveries to notifiers, and records the results that the notifiers report. */
export class DeliveryLeases {
  readonly #dependencies: DeliveryLeasesDependencies;
  readonly #leases = new Map<number, Lease>();
  readonly counts: AttemptCounts = { delivered: 0, failed: 0 };
  /**
   * Id of the newest lease. The first id comes from the start time of the core, so that all ids are higher than those
   * of earlier core processes.
   */
  #lastId: number;

  constructor(dependencies: DeliveryLeasesDependencies) {
    this.#dependencies = dependencies;
    this.#lastId = dependencies.now() * 1_000;
  }

  /** Number of webhook deliveries that are leased to notifiers (the processes that send webhooks). */
  get size(): number {
    return this.#leases.size;
  }

  /**
   * Leases at most `limit` due deliveries to a notifier. Returns their HTTP requests, which are signed with the current
   * time.
   */
  leaseDue(limit: number): LeasedRequest[] {
    const { deliveries, hostRate, now } = this.#dependencies;
    this.endExpired();
    const requests: LeasedRequest[] = [];
    if (limit <= 0) return requests;
    deliveries.visitDue(item => {
      const webhook = this.#usable(item);
      if (!webhook) return true;
      const { url, secret } = this.#dependencies.webhooks.secretsOf(webhook.id);
      const host = hostOf(url);
      if (hostRate.isFull(host, now())) {
        item.delivery.nextAt = now() + HOST_WAIT_MS;
        return true;
      }
      const request = this.#requestOf(item, webhook, { url, secret });
      if (!request) {
        item.delivery.nextAt = now() + READ_WAIT_MS;
        return true;
      }
      hostRate.countDelivery(host, now());
      const leaseId = ++this.#lastId;
      item.isLeased = true;
      this.#leases.set(leaseId, { item, until: now() + LEASE_MS, method: request.method });
      requests.push({ ...request, leaseId });
      return requests.length < limit;
    });
    return requests;
  }

  /** Records the result of a leased delivery. Ignores the result if the lease has ended. */
  report(report: DeliveryReport): void {
    const lease = this.#leases.get(report.leaseId);
    if (!lease) return;
    this.#leases.delete(report.leaseId);
    const { item } = lease;
    const webhook = this.#dependencies.webhooks.get(item.delivery.hookId);
    if (!webhook) return;
    if (report.httpStatus >= 200 && report.httpStatus < 300) this.#succeed(item, webhook, report);
    else this.#fail(item, webhook, report, lease.method);
    this.#dependencies.deliveries.wake();
  }

  /**
   * Ends the leases of deliveries for which no notifier reported a result in time. These deliveries are tried again
   * later, as after a failure.
   */
  endExpired(): void {
    const now = this.#dependencies.now();
    for (const [leaseId, lease] of this.#leases) {
      // If the clock was set back, the lease of a delivery can end more than LEASE_MS from now. Such a lease is
      // shortened.
      lease.until = Math.min(lease.until, now + LEASE_MS);
      if (lease.until > now) continue;
      const error = 'The notifier did not report a result in time.';
      this.report({
        leaseId,
        httpStatus: 0,
        error,
        // If the notifier reports no result, this does not count as a failure of the receiver: the notifier may have
        // stopped before it sent the delivery.
        notSent: true,
        retryAfterSeconds: 0,
        body: Buffer.alloc(0),
        durationMs: 0,
      });
    }
  }

  /**
   * Returns the webhook of a delivery, or undefined if it is disabled or deleted. If the token of the webhook is
   * revoked or has expired, disables the webhook first.
   */
  #usable({ delivery: { hookId } }: QueueItem): Webhook | undefined {
    const { webhooks, isLive, disable } = this.#dependencies;
    const webhook = webhooks.get(hookId);
    if (webhook?.disabledAt !== 0) return undefined;
    if (isLive(webhook.tokenId)) return webhook;
    disable(webhook, 'The token of the webhook is revoked or has expired.');
    return undefined;
  }

  /**
   * Returns the HTTP request for a delivery. Returns undefined if the request needs the record of a server, and this
   * record must first be read from another core.
   */
  #requestOf(
    { delivery }: QueueItem,
    webhook: Webhook,
    secrets: { url: string; secret: string },
  ): DeliveryRequest | undefined {
    const { messages, currentPayload, gameName, now } = this.#dependencies;
    const { server } = delivery;
    if (webhook.form === 'json') return jsonRequest(delivery, secrets, now());
    const isKept = webhook.oneMessage && server !== '';
    // A Discord message that gsq edits for each event shows the current state of the server, not the state at the time
    // of the event.
    const after = isKept ? currentPayload(server) : delivery.after;
    if (after === undefined) return undefined;
    const messageId = isKept ? messages.get(webhook.id, server) : undefined;
    return discordRequest(discordView({ ...delivery, after }, gameName), secrets, messageId, isKept);
  }

  #succeed(item: QueueItem, webhook: Webhook, report: DeliveryReport): void {
    const { webhooks, deliveries, messages } = this.#dependencies;
    this.counts.delivered++;
    if (webhook.oneMessage && item.delivery.server !== '' && report.body.length > 0)
      messages.keep(webhook.id, item.delivery.server, report.body);
    if (webhook.failingSince !== 0) webhooks.update(webhook.id, { failingSince: 0 });
    this.#note(item, report, 0, '');
    deliveries.end(item);
  }

  #fail(item: QueueItem, webhook: Webhook, report: DeliveryReport, method: string): void {
    const { webhooks, deliveries, messages, disable, now } = this.#dependencies;
    const { delivery } = item;
    this.counts.failed++;
    const error = report.error || `The receiver answered with status ${report.httpStatus}.`;
    if (method === 'PATCH' && report.httpStatus === NOT_FOUND) {
      messages.forget(webhook.id, delivery.server);
      this.#note(item, report, now(), 'The message was deleted; a new one is sent.');
      deliveries.retry(item, now());
      return;
    }
    if (webhook.disabledAt !== 0) {
      this.#note(item, report, 0, error);
      return;
    }
    const failingSince = this.#failingSince(webhook, report);
    if (webhook.failingSince !== failingSince) webhooks.update(webhook.id, { failingSince });
    const isGone = report.httpStatus === GONE;
    if (isGone || (failingSince !== 0 && now() - failingSince >= GIVE_UP_MS)) {
      this.#note(item, report, 0, error);
      disable(
        webhook,
        isGone ? 'The receiver answered with status 410 (gone).' : `Deliveries failed for a day. ${error}`,
      );
      return;
    }
    if (now() - delivery.at >= GIVE_UP_MS) {
      this.#note(item, report, 0, `${error} The delivery is a day old and is given up.`);
      deliveries.end(item);
      return;
    }
    // If the receiver asks gsq to wait (Retry-After), all deliveries of the webhook wait, because Discord has one limit
    // for all requests of a webhook.
    if (report.retryAfterSeconds > 0)
      deliveries.pause(webhook.id, now() + retryAfterWait(report.retryAfterSeconds));
    const nextAt = now() + retryWait(delivery.attempts + 1, report.retryAfterSeconds);
    this.#note(item, report, nextAt, error);
    deliveries.retry(item, nextAt);
  }

  /**
   * Returns the new value of `Webhook.failingSince` after a failed attempt. The value depends on the time of the
   * previous attempt, the newest in the log. Therefore, call this method before the failed attempt is added to the log.
   */
  #failingSince({ id, failingSince }: Webhook, { notSent }: DeliveryReport): number {
    const { log, now } = this.#dependencies;
    if (notSent) return 0;
    return failingSince === 0 || now() - log.lastAt(id) > LONGEST_GAP_MS ? now() : failingSince;
  }

  #note({ delivery }: QueueItem, report: DeliveryReport, nextAt: number, error: string): void {
    this.#dependencies.log.addAttempt(delivery.hookId, {
      deliveryId: delivery.id,
      event: delivery.event,
      server: delivery.server,
      at: this.#dependencies.now(),
      httpStatus: report.httpStatus,
      error: error.slice(0, 500),
      durationMs: report.durationMs,
      nextAt,
    });
  }
}
