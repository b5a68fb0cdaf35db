// The front page of Eco servers: a JSON document sent over HTTP. Sources: protocols/eco.js of
// https://github.com/gamedig/node-gamedig and src/GameQ/Protocols/Eco.php of https://github.com/Austinb/GameQ. The
// names in the document contain the rich text tags of the Unity engine:
// https://docs.unity3d.com/Packages/com.unity.textmeshpro@4.0/manual/RichTextSupportedTags.html

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { HttpJsonExchange } from './http-json.ts';
import { countField, objectField, portField, textField } from './json-fields.ts';
import { MalformedReply, type Protocol } from './protocol.ts';

const MAX_LISTED = 1024;
const TAGS =
  'align allcaps alpha b br color cspace ecoicon font font-weight gradient i icon indent line-height line-indent link ' +
  'lowercase margin mark mspace nobr noparse page pos rotate s size smallcaps space sprite strikethrough style sub sup ' +
  'u uppercase voffset width';
/** Matches a rich text tag such as `<color=red>`, or a short colour tag such as `<#ff0000>`. */
const MARKUP = new RegExp(`</?(?:${TAGS.replaceAll(' ', '|')})(?:[ =][^<>]{0,100})?>|<#[\\da-f]{3,8}>`, 'gi');

function readStatus(document: unknown): RawStatus {
  const info = objectField(objectField(document, 'front page').Info, 'Info');
  const status: RawStatus = {
    name: withoutMarkup(textField(info.Description, 'Description')),
    players: countField(info.OnlinePlayers, 'OnlinePlayers'),
    // Eco has no player limit. Like gamedig, gsq reports as `maxplayers` the number of players who ever joined
    // (`TotalPlayers`).
    maxplayers: countField(info.TotalPlayers, 'TotalPlayers'),
    version: textField(info.Version, 'Version'),
    connectPort: portField(info.GamePort, 'GamePort'),
  };
  if (typeof info.HasPassword === 'boolean') status.password = info.HasPassword;
  // The field `OnlinePlayersNames` is optional, because old servers send no player names.
  if (info.OnlinePlayersNames !== undefined) status.playerList = readNames(info.OnlinePlayersNames);
  return status;
}

function readNames(names: unknown): RawPlayer[] {
  if (!Array.isArray(names)) throw new MalformedReply('no list OnlinePlayersNames');
  return names.slice(0, MAX_LISTED).map(name => ({ name: withoutMarkup(textField(name, 'player')) }));
}

function withoutMarkup(text: string): string {
  return text.replace(MARKUP, '');
}

/** The protocol of Eco. gsq requests the front page from the web server that is a part of the game server. */
export const eco: Protocol = {
  transport: 'tcp',
  colours: 'none',
  open: context => new HttpJsonExchange(context, '/frontpage', readStatus),
};
