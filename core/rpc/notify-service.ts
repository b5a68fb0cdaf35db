import type { TargetPolicy } from '../../net/targets.ts';
import type { LeaseDeliveriesRequest__Output } from '../../proto/generated/gsq/v1/LeaseDeliveriesRequest.ts';
import type { LeaseDeliveriesResponse } from '../../proto/generated/gsq/v1/LeaseDeliveriesResponse.ts';
import type { NotifyServiceHandlers } from '../../proto/generated/gsq/v1/NotifyService.ts';
import type { ReportDeliveriesRequest__Output } from '../../proto/generated/gsq/v1/ReportDeliveriesRequest.ts';
import type { ReportDeliveriesResponse } from '../../proto/generated/gsq/v1/ReportDeliveriesResponse.ts';
import { type LeasedRequest, TIMEOUT_MS } from '../webhooks/delivery-leases.ts';
import type { WebhookEngine } from '../webhooks/webhook-engine.ts';
import type { Handlers } from './handler.ts';

const MAX_DELIVERIES = 100;
const MAX_WAIT_MS = 20_000;

/** Dependencies of `notifyService`. */
export interface NotifyServiceDependencies {
  hooks: WebhookEngine;
  /** The networks that the operator allows or forbids as targets of webhooks. */
  policy: Pick<TargetPolicy, 'opened' | 'denied'>;
  /** Signal that is aborted when the core begins to shut down. All waiting calls then end. */
  closing: AbortSignal;
}

/**
 * Creates the handlers of NotifyService. Notifiers call it to get (lease) queued webhook deliveries, and to report the
 * results.
 */
export function notifyService({ hooks, policy, closing }: NotifyServiceDependencies, handlers: Handlers) {
  return {
    LeaseDeliveries: handlers.unary<LeaseDeliveriesRequest__Output, LeaseDeliveriesResponse>(async call => {
      const limit = Math.min(call.request.maxDeliveries || 1, MAX_DELIVERIES);
      const gone = new AbortController();
      const abort = (): void => gone.abort();
      call.once('cancelled', abort);
      // Does not use AbortSignal.any, because `closing` lives as long as the process: Node would keep about 59 bytes of
      // each call.
      closing.addEventListener('abort', abort);
      if (closing.aborted) abort();
      try {
        const leased = await leaseWhenDue(hooks, limit, call.request.waitMs, gone.signal);
        return {
          deliveries: leased.map(request => ({ ...request, timeoutMs: TIMEOUT_MS })),
          allowTargets: [...policy.opened],
          denyTargets: [...policy.denied],
        };
      } finally {
        closing.removeEventListener('abort', abort);
      }
    }),

    ReportDeliveries: handlers.unary<ReportDeliveriesRequest__Output, ReportDeliveriesResponse>(call => {
      for (const result of call.request.results) hooks.leases.report(result);
      return {};
    }),
  } satisfies NotifyServiceHandlers;
}

/**
 * Leases at most `limit` deliveries that are due. If none is due, waits for one for at most `waitMs` ms. Returns an
 * empty array if no delivery became due in this time, or if `signal` was aborted.
 */
async function leaseWhenDue(
  hooks: WebhookEngine,
  limit: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<LeasedRequest[]> {
  const end = performance.now() + Math.min(waitMs, MAX_WAIT_MS);
  let leased = hooks.leases.leaseDue(limit);
  // The wait for a due delivery is measured in real time. A test can stop the clock of the core, and a wait by this
  // clock would then never end. Only `leaseDue` uses the clock of the core, to find the deliveries that are due.
  while (leased.length === 0 && !signal.aborted && performance.now() < end) {
    await hooks.deliveries.wait(end - performance.now(), signal);
    // If the notifier has cancelled the call, leases nothing, because nobody would send the deliveries.
    if (!signal.aborted) leased = hooks.leases.leaseDue(limit);
  }
  return leased;
}
