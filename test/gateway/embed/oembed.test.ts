import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oembedJson } from '../../../gateway/embed/oembed.ts';
import { serverWith } from '../page/views/hostile-texts.ts';

describe('the oEmbed description of a server', () => {
  const htmlFor = (base: string): string =>
    JSON.parse(oembedJson(serverWith('Vanilla'), base, new URLSearchParams({ maxwidth: '300' }))).html;

  it('contains an iframe with the URL of the server at this gateway', () => {
    assert.match(
      htmlFor('http://[::1]:8080'),
      /^<iframe src="http:\/\/\[::1\]:8080\/embed\/[^"]+" width="300" height="200" title="Game server" loading="lazy"><\/iframe>$/,
    );
  });

  it('escapes the URL of the gateway, so that the URL cannot add an attribute to the iframe', () => {
    const html = htmlFor('http://a"onload="alert(1)"x=".localhost');
    assert.match(
      html,
      /^<iframe src="http:\/\/a&quot;onload=&quot;alert\(1\)&quot;x=&quot;\.localhost\/embed\//,
    );
    assert.match(htmlFor('http://localhost/a&copy'), /^<iframe src="http:\/\/localhost\/a&amp;copy\/embed\//);
  });
});
