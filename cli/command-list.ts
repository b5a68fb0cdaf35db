import type { CommandList } from './console/command.ts';

/**
 * The commands of `gsq`. The code of a command is loaded only when it is needed, so that `--help` does not wait until
 * gRPC is loaded.
 */
export const commands: CommandList = {
  start: {
    summary: 'run core, gateway, prober and notifier together',
    load: async () => (await import('./commands/start.ts')).start,
  },
  'token create': {
    summary: 'create a token and print its secret once',
    load: async () => (await import('./commands/token.ts')).tokenCreate,
  },
  'token list': {
    summary: 'list tokens',
    load: async () => (await import('./commands/token.ts')).tokenList,
  },
  'token revoke': {
    summary: 'make a token invalid for good',
    load: async () => (await import('./commands/token.ts')).tokenRevoke,
  },
  'token rotate': {
    summary: 'give a token a new secret',
    load: async () => (await import('./commands/token-change.ts')).tokenRotate,
  },
  'token allow': {
    summary: 'change from where a token can be used',
    load: async () => (await import('./commands/token-change.ts')).tokenAllow,
  },
  'token expire': {
    summary: 'change when a token expires',
    load: async () => (await import('./commands/token-change.ts')).tokenExpire,
  },
  'token usage': {
    summary: 'show how much of its quota a token used',
    load: async () => (await import('./commands/token-look.ts')).tokenUsage,
  },
  'token check': {
    summary: 'check whether a secret is mistyped or incomplete',
    load: async () => (await import('./commands/token-look.ts')).tokenCheck,
  },
  'servers list': {
    summary: 'list tracked servers',
    load: async () => (await import('./commands/servers-list.ts')).serversList,
  },
  'servers add': {
    summary: 'track servers',
    load: async () => (await import('./commands/servers.ts')).serversAdd,
  },
  'servers remove': {
    summary: 'remove servers and their data',
    load: async () => (await import('./commands/servers.ts')).serversRemove,
  },
  'servers list-publicly': {
    summary: 'choose the servers that everybody sees',
    load: async () => (await import('./commands/servers-list-publicly.ts')).serversListPublicly,
  },
  'servers import': {
    summary: 'track the servers of a list',
    load: async () => (await import('./commands/servers-import.ts')).serversImport,
  },
  'servers export': {
    summary: 'write a list of the tracked servers',
    load: async () => (await import('./commands/servers-export.ts')).serversExport,
  },
  'webhooks list': {
    summary: 'list webhooks',
    load: async () => (await import('./commands/webhooks.ts')).webhooksList,
  },
  'webhooks add': {
    summary: 'send a request to a URL when something happens to a server',
    load: async () => (await import('./commands/webhooks-add.ts')).webhooksAdd,
  },
  'webhooks show': {
    summary: 'show one webhook',
    load: async () => (await import('./commands/webhooks.ts')).webhooksShow,
  },
  'webhooks log': {
    summary: 'list the last requests to a webhook',
    load: async () => (await import('./commands/webhooks.ts')).webhooksLog,
  },
  'webhooks test': {
    summary: 'send a test request to a webhook',
    load: async () => (await import('./commands/webhooks-test.ts')).webhooksTest,
  },
  'webhooks remove': {
    summary: 'remove a webhook',
    load: async () => (await import('./commands/webhooks.ts')).webhooksRemove,
  },
  games: {
    summary: 'list the games, or search for one',
    load: async () => (await import('./commands/games.ts')).games,
  },
  stats: {
    summary: 'show what the service tracks and does',
    load: async () => (await import('./commands/stats.ts')).stats,
  },
  top: {
    summary: 'show the same live, with rates',
    load: async () => (await import('./commands/top.ts')).top,
  },
  backup: {
    summary: 'save all stored data to a file',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'create a data directory from a backup',
    load: async () => (await import('./commands/backup.ts')).restore,
  },
  migrate: {
    summary: 'move all stored data to Redis or Valkey, or back',
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  doctor: {
    summary: 'find problems and say how to fix them',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  completion: {
    summary: 'print a script that completes gsq commands in a shell',
    load: async () => (await import('./commands/completion.ts')).completionOf(commands),
  },
  query: {
    summary: 'query one game server directly, without the service',
    load: async () => (await import('./commands/query.ts')).query,
  },
};
