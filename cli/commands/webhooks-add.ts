import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Arguments, type Command, CommandError, UsageError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { EVENTS, FORMS, readEvent, readForm, readServers, readUrl } from '../console/webhook-options.ts';
import { webhookJson } from '../console/webhook-view.ts';
import { withCore } from '../service/core-call.ts';

/** Reads the options of `webhooks add` into a request. Throws UsageError if an option is missing or malformed. */
function readRequest(read: Arguments) {
  const tokenId = read.value('token');
  const servers = readServers(read.values('server'));
  const game = read.value('game') ?? '';
  const events = read.values('event').map(readEvent);
  const form = readForm(read.value('form') ?? 'json');
  const oneMessage = read.flag('one-message');
  if (read.positionals.length > 0) throw new UsageError(`unexpected argument "${read.positionals[0]}"`);
  if (tokenId === undefined)
    throw new UsageError(
      '--token is needed: the id of the token that owns the webhook, as in "gsq token list"',
    );
  if (servers.length > 0 === (game !== '')) throw new UsageError('give either --server or --game');
  if (oneMessage && form !== 'discord') throw new UsageError('--one-message needs --form discord');
  if (events.length === 0 && !oneMessage) throw new UsageError('at least one --event is needed');
  const cooldown = read.value('cooldown') ?? '';
  return { url: readUrl(read), servers, game, events, cooldown, form, oneMessage, tokenId };
}

export const webhooksAdd: Command = {
  usage: [
    '--url <url> --token <token id> (--server <game>/<address> | --game <id>)... --event <event>... [options]',
  ],
  about: `Registers a webhook: gsq sends an HTTP request to a URL when something happens to a server. Prints the
    secret that signs the requests. No command can show this secret again. The form discord has no secret.`,
  options: {
    url: {
      type: 'string',
      value: '<url>',
      values: [],
      about: `https URL. Its port is 443 or a port that game servers use. http is possible only for addresses in
        GSQ_ALLOW_TARGETS`,
    },
    'url-file': {
      type: 'string',
      value: '<file>',
      about: `file that contains the URL; only its owner may have access to it. Use it for a URL that is secret, such as
        that of Discord, because other users of this machine can see the arguments of a command`,
    },
    token: {
      type: 'string',
      value: '<token id>',
      values: [],
      about: 'id of the token that owns the webhook. If the token is revoked, gsq disables the webhook',
    },
    server: {
      type: 'string',
      multiple: true,
      value: '<game>/<address>',
      values: 'games',
      about: 'a tracked server to follow, for example csgo/203.0.113.7:27015; can be given more than once',
    },
    game: {
      type: 'string',
      value: '<id>',
      values: 'games',
      about: 'follow all tracked servers of this game',
    },
    event: {
      type: 'string',
      multiple: true,
      value: '<event>',
      values: EVENTS.map(event => (event === 'players_over' ? 'players_over=20' : event)),
      about: `online, offline, full, empty, map, or players_over=<number>. After a colon: how long it must be so, for
        example offline:3m or players_over=20:5m. Can be given more than once`,
    },
    cooldown: {
      type: 'string',
      value: '<time>',
      values: [],
      about: `time after a request in which the same event of the same server causes no further one, for example 5m;
        default 1m, at most 24h`,
    },
    form: { type: 'string', value: 'json|discord', values: FORMS, about: 'form of the body; default json' },
    'one-message': {
      type: 'boolean',
      about: 'only for discord: keep one message for each server and edit it; needs no --event',
    },
    json: { type: 'boolean', about: 'print one JSON object: {secret, webhook}' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const request = readRequest(read);
    const { secret, webhook } = await withCore(read.config, call =>
      call(gsqV1.WebhookService.service.CreateWebhook, request),
    );
    if (!webhook) throw new CommandError(exitStatus.failed, 'the answer of the core is empty');
    if (read.flag('json')) {
      terminal.out(jsonLine({ secret: secret || null, webhook: webhookJson(webhook) }));
      return exitStatus.ok;
    }
    const about = secret === '' ? '' : ' The secret that signs its requests, shown only this once:';
    terminal.talk(`Webhook ${webhook.id} is created.${about}`);
    if (secret !== '') terminal.out(`${secret}\n`);
    terminal.talk(`Try it: gsq webhooks test ${webhook.id}`);
    return exitStatus.ok;
  },
};
