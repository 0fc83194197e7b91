import { type Html, html } from '../../domain/html'

/** What a mail says, before it is text and HTML. */
export interface Letter {
  title: string
  paragraphs: string[]
  buttons: { label: string; url: string }[]
  /** More, between the paragraphs and the buttons. */
  more?: { text: string; html: Html }
  footer: string[]
}

export const renderLetter = (letter: Letter): { text: string; html: string } => ({
  text: toText(letter),
  html: toHtml(letter).text,
})

const toText = ({ title, paragraphs, more, buttons, footer }: Letter): string =>
  [
    title,
    ...paragraphs,
    ...(more ? [more.text] : []),
    ...buttons.map(({ label, url }) => `${label}:\n${url}`),
    ...(footer.length > 0 ? [`-- \n${footer.join('\n')}`] : []),
  ].join('\n\n')

const BODY =
  "margin:0;padding:24px 12px;background:#f6f6f4;color:#1d1d1f;font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Ubuntu,sans-serif"
const CARD =
  'max-width:560px;margin:0 auto;padding:28px 32px;background:#fff;border:1px solid #e6e5e1;border-radius:12px'
const HEADING = 'margin:0 0 12px;font-size:19px;line-height:1.35;font-weight:600'
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:8px;background:#4f46e5;color:#fff;font-weight:600;text-decoration:none'
const FOOTER = 'max-width:560px;margin:16px auto 0;color:#6b6b70;font-size:13px'

/** Names and titles may be written from right to left: each decides for itself. */
const toHtml = ({ title, paragraphs, more, buttons, footer }: Letter): Html =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="${BODY}">
<div style="${CARD}">
<h1 dir="auto" style="${HEADING}">${title}</h1>
${paragraphs.map((each) => html`<p dir="auto" style="margin:0 0 16px">${each}</p>\n`)}${more?.html}${buttons.map(
  ({ label, url }) => html`<p style="margin:20px 0 0"><a href="${url}" style="${BUTTON}">${label}</a></p>\n`,
)}</div>
${footer.map((line) => html`<p style="${FOOTER}">${line}</p>\n`)}</body></html>`
