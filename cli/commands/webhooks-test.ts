import { setTimeout as pause } from 'node:timers/promises';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { DeliveryAttempt__Output as Attempt } from '../../proto/generated/gsq/v1/DeliveryAttempt.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { type Cell, TextTable } from '../console/text-table.ts';
import { isoTime, readableTime } from '../console/timestamp.ts';
import { attemptJson, attemptStateCell, oneWebhookId } from '../console/webhook-view.ts';
import { type CallCore, withCore } from '../service/core-call.ts';

const hooks = gsqV1.WebhookService.service;

/**
 * Longest time that `gsq webhooks test` waits for the result of its test request, ms. The request takes at most 15 s,
 * but it can first wait for earlier requests.
 */
const MAX_WAIT_MS = 30_000;
const POLL_MS = 200;

/**
 * Waits for the first attempt to send a delivery to a webhook, and returns its result. Returns undefined if gsq sends
 * nothing within MAX_WAIT_MS.
 */
async function resultOf(
  call: CallCore,
  id: string,
  deliveryId: string,
  now: () => number,
): Promise<Attempt | undefined> {
  const end = now() + MAX_WAIT_MS;
  while (true) {
    const { attempts } = await call(hooks.ListDeliveries, { id });
    const found = attempts.find(attempt => attempt.deliveryId === deliveryId);
    if (found || now() >= end) return found;
    await pause(POLL_MS);
  }
}

export const webhooksTest: Command = {
  usage: ['<id> [--json]'],
  about: `Sends a request with the event "test" to a webhook, waits until it has a result, and shows the result. Enables
    a disabled webhook again. If the request fails, or has no result after 30 s, the exit status is 1.`,
  options: {
    json: { type: 'boolean', about: 'print the result as a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneWebhookId(read);
    const result = await withCore(read.config, async call => {
      const { deliveryId } = await call(hooks.TestWebhook, { id });
      return resultOf(call, id, deliveryId, terminal.now);
    });
    if (!result)
      throw new CommandError(
        exitStatus.failed,
        `the request has no result after ${MAX_WAIT_MS / 1000} s; "gsq doctor" says if a notifier runs, and "gsq webhooks log ${id}" shows the result later`,
      );
    if (read.flag('json')) terminal.out(jsonLine(attemptJson(result)));
    else {
      const again = readableTime(isoTime(result.nextAttemptAt), terminal.stdout, terminal.now);
      const rows: Cell[][] = [
        ['result', attemptStateCell(result)],
        ['http status', result.httpStatus === 0 ? '-' : String(result.httpStatus)],
        ['took', `${result.durationMs} ms`],
        ['delivery', result.deliveryId],
        ...(result.error === '' ? [] : [['error', result.error]]),
        ...(again === null ? [] : [['again', again]]),
      ];
      terminal.out(new TextTable(terminal.stdout).format(rows));
    }
    return result.error === '' ? exitStatus.ok : exitStatus.failed;
  },
};
