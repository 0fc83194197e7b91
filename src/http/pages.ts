import { ICON } from '../domain/avatar'
import { type Html, html } from '../domain/html'

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self' https: http:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
}

export const page = (title: string, body: Html, status = 200) =>
  new Response(
    html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Parley</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="/plain.css">
<header><a class="name" href="/">Parley</a><nav><a href="/docs">API reference</a></nav></header>
<main>${body}</main>
</html>`.text,
    { status, headers: HEADERS },
  )
