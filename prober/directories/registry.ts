import { altv } from './altv.ts';
import { beammp } from './beammp.ts';
import { brokeprotocol } from './brokeprotocol.ts';
import type { Directory } from './directory.ts';
import { discord } from './discord.ts';
import { eos } from './eos.ts';
import { factorio } from './factorio.ts';
import { geneshift } from './geneshift.ts';
import { hawakening } from './hawakening.ts';
import { minetest } from './minetest.ts';
import { ragemp } from './ragemp.ts';
import { renegadex } from './renegadex.ts';
import { scpsl } from './scpsl.ts';
import { stationeers } from './stationeers.ts';
import { vintagestory } from './vintagestory.ts';

/** All public server lists in which gsq can look up servers. */
export const directories: readonly Directory[] = [
  altv,
  beammp,
  brokeprotocol,
  discord,
  eos,
  factorio,
  geneshift,
  hawakening,
  minetest,
  ragemp,
  renegadex,
  scpsl,
  stationeers,
  vintagestory,
];

const byProtocol: ReadonlyMap<string, Directory> = new Map(
  directories.flatMap(directory => directory.protocols.map(protocol => [protocol, directory] as const)),
);

/** Returns the `Directory` (public server list) of the games with this protocol. Returns undefined if there is none. */
export function directoryOf(protocol: string): Directory | undefined {
  return byProtocol.get(protocol);
}
