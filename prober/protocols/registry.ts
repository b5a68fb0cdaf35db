import { a2s, goldsrc } from './a2s.ts';
import { barotrauma, battalion1944, daysofwar, projectzomboid, soulmask, squad } from './a2s-games.ts';
import { armagetron } from './armagetron.ts';
import { ase } from './ase.ts';
import { assaultcube } from './assaultcube.ts';
import { battlefield } from './battlefield.ts';
import { bedrock } from './bedrock.ts';
import { bzflag } from './bzflag.ts';
import { chocolatedoom } from './chocolatedoom.ts';
import { dmp } from './dmp.ts';
import { doom3 } from './doom3.ts';
import { eco } from './eco.ts';
import { gamespy1 } from './gamespy1.ts';
import { gamespy2 } from './gamespy2.ts';
import { gamespy3 } from './gamespy3.ts';
import { jc2mp } from './jc2mp.ts';
import { mindustry } from './mindustry.ts';
import { minecraft } from './minecraft.ts';
import { mumble } from './mumble.ts';
import { murmur } from './murmur.ts';
import { necesse } from './necesse.ts';
import { openttd } from './openttd.ts';
import type { Protocol } from './protocol.ts';
import { hexen2, quake1 } from './quake1.ts';
import { quake2 } from './quake2.ts';
import { quake3 } from './quake3.ts';
import { redeclipse } from './redeclipse.ts';
import { samp } from './samp.ts';
import { sauerbraten } from './sauerbraten.ts';
import { teamspeak2 } from './teamspeak2.ts';
import { teamspeak3 } from './teamspeak3.ts';
import { teeworlds } from './teeworlds.ts';
import { tibia } from './tibia.ts';
import { unreal2 } from './unreal2.ts';
import { vcmp } from './vcmp.ts';
import { ventrilo } from './ventrilo.ts';
import { zandronum } from './zandronum.ts';

/**
 * The protocols that gsq implements itself, keyed by their names in catalog.json. For all other protocols gsq uses the
 * gamedig library.
 */
export const protocols: ReadonlyMap<string, Protocol> = new Map([
  ['a2s', a2s],
  ['armagetron', armagetron],
  ['ase', ase],
  ['assaultcube', assaultcube],
  ['barotrauma', barotrauma],
  ['battalion1944', battalion1944],
  ['battlefield', battlefield],
  ['bedrock', bedrock],
  ['bzflag', bzflag],
  ['chocolatedoom', chocolatedoom],
  ['daysofwar', daysofwar],
  ['doom3', doom3],
  ['eco', eco],
  ['gamespy1', gamespy1],
  ['gamespy2', gamespy2],
  ['gamespy3', gamespy3],
  ['goldsrc', goldsrc],
  ['hexen2', hexen2],
  ['jc2mp', jc2mp],
  ['kspdmp', dmp],
  ['mindustry', mindustry],
  ['minecraft', minecraft],
  ['mumble', murmur],
  ['mumbleping', mumble],
  ['necesse', necesse],
  ['openttd', openttd],
  ['projectzomboid', projectzomboid],
  ['quake1', quake1],
  ['quake2', quake2],
  ['quake3', quake3],
  ['redeclipse', redeclipse],
  ['samp', samp],
  ['sauerbraten', sauerbraten],
  ['soulmask', soulmask],
  ['squad', squad],
  ['teamspeak2', teamspeak2],
  ['teamspeak3', teamspeak3],
  ['teeworlds', teeworlds],
  ['tibia', tibia],
  ['unreal2', unreal2],
  ['vcmp', vcmp],
  ['ventrilo', ventrilo],
  ['zandronum', zandronum],
]);
