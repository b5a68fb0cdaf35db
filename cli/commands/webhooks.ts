import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, UsageError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { type Cell, heading, TextTable } from '../console/text-table.ts';
import { isoTime, readableTime } from '../console/timestamp.ts';
import {
  attemptJson,
  attemptStateCell,
  eventText,
  followedText,
  hookStateCell,
  oneWebhookId,
  webhookJson,
} from '../console/webhook-view.ts';
import { withCore } from '../service/core-call.ts';

const hooks = gsqV1.WebhookService.service;

export const webhooksList: Command = {
  usage: ['[--token <token id>] [--json]'],
  about: `Lists the webhooks of all tokens. Never shows a secret: the path and the query of a URL are hidden, because
    they can be secret.`,
  options: {
    token: {
      type: 'string',
      value: '<token id>',
      values: [],
      about: 'list only the webhooks of this token',
    },
    json: { type: 'boolean', about: 'print a JSON array of objects' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('webhooks list takes no argument');
    const tokenId = read.value('token') ?? '';
    const { webhooks } = await withCore(read.config, call => call(hooks.ListWebhooks, { tokenId }));
    if (read.flag('json')) {
      terminal.out(jsonLine(webhooks.map(webhookJson)));
      return exitStatus.ok;
    }
    const rows = webhooks.map(webhook => [
      webhook.id,
      webhook.tokenId,
      hookStateCell(webhook),
      String(webhook.queued),
      webhook.form,
      webhook.events.map(eventText).join(', ') || '-',
      webhook.url,
      followedText(webhook),
    ]);
    const head = heading('ID', 'TOKEN', 'STATE', 'QUEUED', 'FORM', 'EVENTS', 'URL', 'FOLLOWS');
    terminal.out(new TextTable(terminal.stdout).format([head, ...rows]));
    return exitStatus.ok;
  },
};

export const webhooksShow: Command = {
  usage: ['<id> [--json]'],
  about: `Shows a webhook. <id> is the first column of "gsq webhooks list". If gsq disabled the webhook, the command
    shows when and why; "gsq webhooks test" enables it again.`,
  options: {
    json: { type: 'boolean', about: 'print the webhook as a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneWebhookId(read);
    const { webhook } = await withCore(read.config, call => call(hooks.GetWebhook, { id }));
    if (!webhook) throw new CommandError(exitStatus.failed, 'the answer of the core is empty');
    if (read.flag('json')) {
      terminal.out(jsonLine(webhookJson(webhook)));
      return exitStatus.ok;
    }
    const time = (timestamp: typeof webhook.createdAt) =>
      readableTime(isoTime(timestamp), terminal.stdout, terminal.now);
    const rows: Cell[][] = [
      ['webhook', webhook.id],
      ['token', webhook.tokenId],
      ['state', hookStateCell(webhook)],
      ...(webhook.disabledAt ? [['disabled', `${time(webhook.disabledAt)}: ${webhook.disabledReason}`]] : []),
      ['queued', String(webhook.queued)],
      ['url', webhook.url],
      ['form', `${webhook.form}${webhook.oneMessage ? ', one message for each server' : ''}`],
      ['follows', followedText(webhook, Number.POSITIVE_INFINITY)],
      ['events', webhook.events.map(eventText).join(', ') || '-'],
      ['cooldown', webhook.cooldown],
      ['created', time(webhook.createdAt) ?? '-'],
    ];
    terminal.out(new TextTable(terminal.stdout).format(rows));
    return exitStatus.ok;
  },
};

export const webhooksRemove: Command = {
  usage: ['<id> [--json]'],
  about: 'Removes a webhook and its queued requests.',
  options: {
    json: { type: 'boolean', about: 'print one JSON object: {removed: <id>}' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneWebhookId(read);
    await withCore(read.config, call => call(hooks.DeleteWebhook, { id }));
    if (read.flag('json')) terminal.out(jsonLine({ removed: id }));
    else terminal.talk(`Webhook ${id} is removed.`);
    return exitStatus.ok;
  },
};

export const webhooksLog: Command = {
  usage: ['<id> [--json]'],
  about: `Lists the last 50 requests that gsq sent to a webhook, the newest first. A request that failed is repeated for
    a day.`,
  options: {
    json: { type: 'boolean', about: 'print a JSON array of objects' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneWebhookId(read);
    const { attempts } = await withCore(read.config, call => call(hooks.ListDeliveries, { id }));
    if (read.flag('json')) {
      terminal.out(jsonLine(attempts.map(attemptJson)));
      return exitStatus.ok;
    }
    const time = (timestamp: (typeof attempts)[number]['at']) =>
      readableTime(isoTime(timestamp), terminal.stdout, terminal.now) ?? '-';
    const rows = attempts.map(attempt => [
      time(attempt.at),
      attempt.event,
      attempt.server === '' ? '-' : `${attempt.gameId}/${attempt.server}`,
      attemptStateCell(attempt),
      attempt.httpStatus === 0 ? '-' : String(attempt.httpStatus),
      `${attempt.durationMs} ms`,
      time(attempt.nextAttemptAt),
      attempt.deliveryId,
      attempt.error || '-',
    ]);
    const head = heading('AT', 'EVENT', 'SERVER', 'RESULT', 'HTTP', 'TOOK', 'AGAIN', 'DELIVERY', 'ERROR');
    terminal.out(new TextTable(terminal.stdout).format([head, ...rows]));
    return exitStatus.ok;
  },
};
