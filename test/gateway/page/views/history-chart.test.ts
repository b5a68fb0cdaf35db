import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { render } from 'preact-render-to-string';
import type { HistoryAnswer, HistoryStep } from '../../../../gateway/page/views/history-answers.ts';
import { HistoryChart, HistoryTable, niceMax } from '../../../../gateway/page/views/history-chart.ts';
import { html } from '../../../../gateway/page/views/html.ts';

const step = (players: number | null, most = players): HistoryStep => ({
  at: '2026-11-24T00:00:00.000Z',
  players_mean: players,
  players_max: most,
  online_share: players === null ? 0 : 1,
  known_share: 1,
});

const historyOf = (samples: (HistoryStep | null)[]): HistoryAnswer => ({
  step_seconds: 300,
  from: '2026-11-24T00:00:00.000Z',
  to: new Date(Date.parse('2026-11-24T00:00:00.000Z') + samples.length * 300_000).toISOString(),
  samples,
});

describe('the drawn chart of the number of players', () => {
  it('has a separate line for each period in which all numbers are known', () => {
    const text = render(
      html`<${HistoryChart} history=${historyOf([step(1), step(2), null, step(3), step(null), step(4)])} />`,
    );
    assert.equal(text.match(/class="mean"/g)?.length, 3);
    assert.equal(text.match(/class="band"/g)?.length, 3);
  });

  it('never draws an unknown number as zero', () => {
    const text = render(html`<${HistoryChart} history=${historyOf([null, null])} />`);
    assert.doesNotMatch(text, /<path/);
    assert.match(text, /The number of players is not known in this time\./);
  });

  it('describes in words what it shows', () => {
    const text = render(html`<${HistoryChart} history=${historyOf([step(3, 7), null, null, null])} />`);
    assert.match(text, /at most 7\. Known in 25\.00 % of the time\./);
  });

  it('does not round the known share of the time up to 100 %', () => {
    const samples = Array.from({ length: 400 }, (_, i) => (i === 0 ? null : step(3)));
    const text = render(html`<${HistoryChart} history=${historyOf(samples)} />`);
    assert.match(text, /Known in 99\.75 % of the time\./);
  });

  it('has a vertical axis that ends at a round number', () => {
    assert.deepEqual([0, 5, 6, 11, 64, 100, 101].map(niceMax), [5, 5, 10, 20, 100, 100, 200]);
  });
});

describe('the table with the history of a server', () => {
  it('shows the figures of each time step, and the word `unknown` for unknown figures', () => {
    const text = render(html`<${HistoryTable} history=${historyOf([step(3.25, 7), null, step(null)])} />`);
    const cells = [...text.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell);
    assert.deepEqual(cells, ['3.3', '7', '100 %', 'unknown', '', 'unknown', 'unknown', '', '0 %']);
  });

  it('shows a short time offline as less than 100 %, and a short time online as more than 0 %', () => {
    const samples = [0.996, 0.004].map(share => ({ ...step(1), online_share: share }));
    const text = render(html`<${HistoryTable} history=${historyOf(samples)} />`);
    assert.deepEqual(text.match(/[\d.]+ %/g), ['99.60 %', '0.40 %']);
  });

  it('combines several time steps into one row if the history is long', () => {
    const text = render(
      html`<${HistoryTable} history=${historyOf(Array.from({ length: 288 }, (_, i) => step(i)))} />`,
    );
    assert.equal(text.match(/scope="row"/g)?.length, 96);
    assert.match(text, /<td class="number">1\.0<\/td><td class="number">2<\/td>/);
  });
});
