interface Policy {
  createHTML(html: string): string
  createScriptURL(url: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy
}

/** The only way in which HTML and scripts enter the page. The server has sanitized the HTML; the scripts are its own. */
const policy: Policy | undefined = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('parley', {
  createHTML: (html) => html,
  createScriptURL: (url) => url,
})

export const trustHtml = (html: string): string => policy?.createHTML(html) ?? html
export const trustScript = (url: string): string => policy?.createScriptURL(url) ?? url
