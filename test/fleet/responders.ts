import type { Responder } from './responder.ts';
import { responder as a2s } from './responders/a2s.ts';
import {
  barotrauma,
  battalion1944,
  daysofwar,
  projectzomboid,
  soulmask,
  squad,
} from './responders/a2s-games.ts';
import { armagetron } from './responders/armagetron.ts';
import { ase } from './responders/ase.ts';
import { battlefield } from './responders/battlefield.ts';
import { bedrock } from './responders/bedrock.ts';
import { bzflag } from './responders/bzflag.ts';
import { chocolatedoom } from './responders/chocolatedoom.ts';
import { assaultcube, redeclipse, sauerbraten } from './responders/cube.ts';
import { doom3 } from './responders/doom3.ts';
import { gamespy1 } from './responders/gamespy1.ts';
import { gamespy2 } from './responders/gamespy2.ts';
import { gamespy3 } from './responders/gamespy3.ts';
import { responder as goldsrc } from './responders/goldsrc.ts';
import { eco, kspdmp } from './responders/http-json.ts';
import { jc2mp } from './responders/jc2mp.ts';
import { mindustry } from './responders/mindustry.ts';
import { minecraft } from './responders/minecraft.ts';
import { mumble } from './responders/mumble.ts';
import { mumbleping } from './responders/mumbleping.ts';
import { necesse } from './responders/necesse.ts';
import { openttd } from './responders/openttd.ts';
import { hexen2, quake1 } from './responders/quake1.ts';
import { quake2 } from './responders/quake2.ts';
import { quake3 } from './responders/quake3.ts';
import { samp } from './responders/samp.ts';
import { teamspeak2 } from './responders/teamspeak2.ts';
import { teamspeak3 } from './responders/teamspeak3.ts';
import { teeworlds } from './responders/teeworlds.ts';
import { tibia } from './responders/tibia.ts';
import { unreal2 } from './responders/unreal2.ts';
import { vcmp } from './responders/vcmp.ts';
import { ventrilo } from './responders/ventrilo.ts';
import { zandronum } from './responders/zandronum.ts';

/** Fake game servers, keyed by the id of their protocol in catalog.json. */
export const responders: ReadonlyMap<string, Responder> = new Map<string, Responder>([
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
  ['kspdmp', kspdmp],
  ['mindustry', mindustry],
  ['minecraft', minecraft],
  ['mumble', mumble],
  ['mumbleping', mumbleping],
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
