// The status page of DarkMultiPlayer servers, sent over HTTP. Source: Server/ServerInfo.cs of
// https://github.com/godarklight/DarkMultiPlayer

import type { RawStatus } from '../answers/raw-status.ts';
import { HttpJsonExchange } from './http-json.ts';
import { countField, objectField, portField, textField } from './json-fields.ts';
import type { Protocol } from './protocol.ts';

const BETWEEN_NAMES = ', ';

function readStatus(document: unknown): RawStatus {
  const info = objectField(document, 'status');
  const names = textField(info.players, 'players').split(BETWEEN_NAMES);
  const status: RawStatus = {
    name: textField(info.server_name, 'server_name'),
    players: countField(info.player_count, 'player_count'),
    maxplayers: countField(info.max_players, 'max_players'),
    connectPort: portField(info.port, 'port'),
    playerList: names.filter(name => name !== '').map(name => ({ name })),
  };
  // The field `version` is optional, because old servers do not report their version.
  if (info.version !== undefined) status.version = textField(info.version, 'version');
  return status;
}

/**
 * The protocol of DarkMultiPlayer, a mod for Kerbal Space Program. gsq can query only servers whose status page is
 * switched on.
 */
export const dmp: Protocol = {
  transport: 'tcp',
  colours: 'none',
  open: context => new HttpJsonExchange(context, '/', readStatus),
};
