import type { Letter } from './template'

// Anyone can make this server send these to anyone: with a name, an admin could write to people whom they do not know. So they
// say nothing that someone else chose, except the name of the workspace in an invitation.

export const invitationLetter = ({ workspace, url }: { workspace: string; url: string }): Letter => ({
  title: `Join ${workspace}`,
  paragraphs: [`You were invited to ${workspace}. The link below signs you in. It works once, for a week.`],
  buttons: [{ label: 'Accept invitation', url }],
  footer: ['If you did not expect this invitation, you can ignore this e-mail.'],
})

export const passwordResetLetter = (url: string): Letter => ({
  title: 'Reset your password',
  paragraphs: ['Someone asked to reset your password. The link below lets you choose a new one, once, within an hour.'],
  buttons: [{ label: 'Choose a new password', url }],
  footer: ['If it was not you, you can ignore this e-mail. Your password stays as it is.'],
})

/** Several workspaces are told apart by their slugs, which only the operator of the server can choose. */
export const signInLetter = (links: readonly { slug: string; url: string }[]): Letter => ({
  title: 'Your sign-in link',
  paragraphs: [
    links.length === 1
      ? 'Use this link to sign in. It works once, within an hour.'
      : 'You have an account in several workspaces. Use one of these links to sign in. Each works once, within an hour.',
  ],
  buttons: links.map(({ slug, url }) => ({ label: links.length === 1 ? 'Sign in' : `Sign in to ${slug}`, url })),
  footer: ['If you did not ask for it, you can ignore this e-mail.'],
})

export const emailChangeLetter = (url: string): Letter => ({
  title: 'Confirm your new e-mail address',
  paragraphs: [
    'You asked to use this address for your account. Your address changes when you confirm it. The link works once, within a day.',
  ],
  buttons: [{ label: 'Confirm e-mail address', url }],
  footer: ['If it was not you, you can ignore this e-mail. Nothing changes.'],
})

export const emailChangeNoticeLetter = (url: string): Letter => ({
  title: 'Your e-mail address is being changed',
  paragraphs: [
    'Someone asked to change your e-mail address. It changes once the new address is confirmed.',
    'If it was you, there is nothing else to do. If it was not, change your password now, in each of your workspaces: that also stops this change.',
  ],
  buttons: [{ label: 'Open settings', url }],
  footer: [],
})

export const testLetter = (base: string): Letter => ({
  title: 'Test e-mail from Parley',
  paragraphs: [`This e-mail was sent by \`parley mail test\` for ${base}. If you can read it, Parley can send e-mail.`],
  buttons: [],
  footer: [],
})
