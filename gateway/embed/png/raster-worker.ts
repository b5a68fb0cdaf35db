import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { Resvg } from '@resvg/resvg-js';
import type { RasterReply } from './rasteriser.ts';

// The worker thread of `Rasteriser`: draws SVG images as PNG images, one after the other.

const folder = join(import.meta.dirname, '../fonts');
const fontFiles = readdirSync(folder)
  .filter(name => /\.tt[cf]$/.test(name))
  .map(name => join(folder, name));
/**
 * Scale factor of the PNG image: the number of pixels for each unit of the SVG image. The factor is two for screens
 * with a high resolution.
 */
const ZOOM = 2;

parentPort?.on('message', (svg: string) => {
  parentPort?.postMessage(draw(svg));
});

function draw(svg: string): RasterReply {
  try {
    const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'DejaVu Sans' };
    const image = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: ZOOM } }).render();
    return { png: image.asPng() };
  } catch (error) {
    return { error: String(error) };
  }
}
