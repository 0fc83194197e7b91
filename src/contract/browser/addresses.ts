/** E-mail addresses as people invite and join with: the plain ones, with a domain that has a dot. */

const WORD = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = `(?:${LABEL}\\.)+(?!\\d+$)${LABEL}`
/**
 * No quoted local parts: `"a@b.example"@c.example` is allowed by the standard, but programs disagree on which of the two domains
 * gets the mail. No characters beyond ASCII either: what looks like a domain may be another one.
 */
const ADDRESS = new RegExp(`^${WORD}(?:\\.${WORD})*@${DOMAIN}$`)
const ONLY_DOMAIN = new RegExp(`^${DOMAIN}$`)

const MAX_ADDRESS = 254
const MAX_LOCAL_PART = 64
const MAX_DOMAIN = 253

/** An address as it is stored; undefined if the text is none. */
export function toAddress(text: string): string | undefined {
  const trimmed = text.trim()
  // Checked before it is made lower case: some other letters become ASCII by that.
  const address = trimmed.toLowerCase()
  const isPlain = /^[\x21-\x7e]+$/.test(trimmed) && ADDRESS.test(address)
  return isPlain && address.length <= MAX_ADDRESS && address.indexOf('@') <= MAX_LOCAL_PART ? address : undefined
}

/** A domain as it is stored, given with or without `@`; undefined if the text is none. */
export function toDomain(text: string): string | undefined {
  const domain = text.trim().replace(/^@/, '')
  const lower = domain.toLowerCase()
  const isPlain = /^[\x21-\x7e]+$/.test(domain) && ONLY_DOMAIN.test(lower)
  return isPlain && lower.length <= MAX_DOMAIN ? lower : undefined
}

/** Whether a stored address is of exactly this domain: one of its subdomains is another domain. */
export const isOfDomain = (address: string, domain: string): boolean =>
  address.slice(address.lastIndexOf('@') + 1) === domain

/** What is pasted or typed, as a list: `Name <address>` is an address, and so is each line of a column of them. */
export function splitAddresses(text: string): string[] {
  const found = text
    .replace(/"[^"\n]*"\s*(?=<)/g, ' ')
    .split(/[,;\n\r\t]+/)
    .flatMap((part) => {
      const inBrackets = [...part.matchAll(/<\s*(?:mailto:)?([^<>\s]+)\s*>/gi)].map((match) => match[1]!)
      return inBrackets.length > 0 ? inBrackets : part.trim().split(/\s+/)
    })
    .map((part) => part.replace(/^mailto:/i, '').trim())
  return [...new Set(found.filter((part) => part !== ''))]
}

const MAX_NAME = 100

/** What someone may be called, by their address: `luca.ferri@…` is Luca Ferri. They can change it. */
export function nameFromAddress(address: string): string {
  const local = address.slice(0, address.lastIndexOf('@')).replace(/\+.*$/, '')
  const words = local.split(/[._\s]+/).filter((word) => word !== '')
  const name = words.map((word) => word.replace(/(^|-)([a-z])/g, (_, before, letter) => before + letter.toUpperCase()))
  return (name.join(' ') || address).slice(0, MAX_NAME)
}
