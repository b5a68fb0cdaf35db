import type { ReadMetrics } from '../../runtime/process-metrics.ts';
import type { WebhookEngine } from '../webhooks/webhook-engine.ts';

/**
 * Adds the metrics of webhooks: registered webhooks, queued deliveries, delivery attempts, and conditions. A condition
 * is a reason for a delivery, for example that a server stays offline for three minutes.
 */
export function webhookMetrics(read: ReadMetrics, { hooks }: { hooks: WebhookEngine }): void {
  const { webhooks, conditions, deliveries, leases } = hooks;
  read.gauge('gsq_webhooks', 'Registered webhooks, disabled ones included.', () => webhooks.size);
  read.gauge(
    'gsq_webhook_conditions',
    'Conditions of webhooks that wait for a delivery, or had one lately.',
    () => conditions.size,
  );
  read.gauge('gsq_webhook_deliveries_queued', 'Queued deliveries of all webhooks.', () => deliveries.size);
  read.gauge('gsq_webhook_deliveries_leased', 'Deliveries that are leased to notifiers.', () => leases.size);
  read.counter(
    'gsq_webhook_deliveries_replaced_total',
    'Queued deliveries that were replaced by a newer one, or dropped because their webhook or token had too many.',
    () => deliveries.replaced,
  );
  read.counter(
    'gsq_webhook_conditions_dropped_total',
    'Events that were dropped, because too many others waited for the end of their time or of a cooldown.',
    () => conditions.dropped,
  );
  read.counters('gsq_webhook_attempts_total', 'Attempts to deliver, by result.', 'result', () => [
    ['delivered', leases.counts.delivered],
    ['failed', leases.counts.failed],
  ]);
}
