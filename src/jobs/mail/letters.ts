import type { Letter } from './template'

interface InvitationDetails {
  name: string
  workspace: string
  url: string
}

export const invitationLetter = ({ name, workspace, url }: InvitationDetails): Letter => ({
  title: `Join ${workspace}`,
  paragraphs: [
    `Hi ${name},`,
    `You were invited to ${workspace}. The link below signs you in. It works once, for a week.`,
  ],
  buttons: [{ label: 'Accept invitation', url }],
  footer: ['If you did not expect this invitation, you can ignore this e-mail.'],
})

export const passwordResetLetter = ({ name, url }: { name: string; url: string }): Letter => ({
  title: 'Reset your password',
  paragraphs: [
    `Hi ${name},`,
    'Someone asked to reset your password. The link below lets you choose a new one, once, within an hour.',
  ],
  buttons: [{ label: 'Choose a new password', url }],
  footer: ['If it was not you, you can ignore this e-mail. Your password stays as it is.'],
})

export const signInLetter = (name: string, links: readonly { workspace: string; url: string }[]): Letter => ({
  title: 'Your sign-in link',
  paragraphs: [`Hi ${name},`, 'Use this link to sign in. It works once, within an hour.'],
  buttons: links.map(({ workspace, url }) => ({ label: `Sign in to ${workspace}`, url })),
  footer: ['If you did not ask for it, you can ignore this e-mail.'],
})

export const emailChangeLetter = ({ name, workspace, url }: InvitationDetails): Letter => ({
  title: 'Confirm your new e-mail address',
  paragraphs: [
    `Hi ${name},`,
    `You asked to use this address at ${workspace}. Your address changes when you confirm it. The link works once, within a day.`,
  ],
  buttons: [{ label: 'Confirm e-mail address', url }],
  footer: ['If it was not you, you can ignore this e-mail. Nothing changes.'],
})

export const emailChangeNoticeLetter = ({ name, workspace, url }: InvitationDetails): Letter => ({
  title: 'Your e-mail address is being changed',
  paragraphs: [
    `Hi ${name},`,
    `Someone asked to change your e-mail address at ${workspace}. It changes once the new address is confirmed.`,
    'If it was you, there is nothing else to do. If it was not, change your password now: that also stops this change.',
  ],
  buttons: [{ label: 'Open settings', url }],
  footer: [],
})
