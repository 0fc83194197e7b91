import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { Link } from 'wouter'
import { setupSteps } from '../../../contract/browser/constants'
import { PICTURE_TYPES } from '../../../contract/browser/file-facts'
import type { Setup, SetupStep } from '../../../contract/setup'
import { useChannels } from '../../data/channels'
import {
  cropToSquare,
  enablePush,
  getPushPermission,
  setAvatar,
  updateName,
  useMe,
  useNotificationSettings,
  useProfile,
} from '../../data/me'
import { finishStep, hideFirstSteps } from '../../data/setup'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { getFieldError } from '../../parts/field'
import { formatTimeZone } from '../../parts/local-time'
import { notifyProblem } from '../../parts/notices'
import { paths } from '../../paths'
import { SetupCard, Step } from './setup-card'

/** What somebody who was invited sets up first. Each step can wait; the card can be hidden, and comes back until all is done. */
export default function FirstSteps({ setup }: { setup: Setup }) {
  const { workspace, author } = useMe()
  const isDone = (step: SetupStep) => setup.done.includes(step)
  const left = setupSteps.length - setup.done.length
  return (
    <SetupCard
      title={`Welcome to ${workspace.name}, ${author.name.split(' ')[0]}`}
      text={<Introduction setup={setup} left={left} />}
      done={setup.done.length}
      of={setupSteps.length}
      close={<Button icon="close" variant="plain" label="Hide for now" onClick={hideFirstSteps} />}
    >
      <ProfileStep number={1} isDone={isDone('profile')} />
      <PasswordStep number={2} isDone={isDone('password')} />
      <TimeZoneStep number={3} isDone={isDone('time_zone')} />
      <NotificationsStep number={4} isDone={isDone('notifications')} />
    </SetupCard>
  )
}

/** Who invited them, and where they are. */
function Introduction({ setup: { invited_by }, left }: { setup: Setup; left: number }) {
  const names = useChannels().data?.map(({ name }) => `#${name}`)
  const sentences = [
    invited_by && `${invited_by.name} invited you.`,
    names && names.length > 0 && `You are in ${formatNames(names)}.`,
    `${COUNTS[left]} to set up; each can wait.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

const COUNTS = ['Nothing', 'One thing', 'Two things', 'Three things', 'Four things']
const MAX_NAMES = 3
const list = new Intl.ListFormat('en')

const formatNames = (names: readonly string[]) =>
  list.format(names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), `${names.length - MAX_NAMES} more`] : names)

interface StepProps {
  number: number
  isDone: boolean
}

function ProfileStep({ number, isDone }: StepProps) {
  const { author } = useMe()
  const file = useRef<HTMLInputElement>(null)
  const save = useMutation({
    mutationFn: async (name: string) => {
      if (name.trim() !== author.name) await updateName(name)
      await finishStep('profile')
    },
  })
  const upload = useMutation({
    mutationFn: async (picture: File) => setAvatar(await cropToSquare(picture)),
    onError: (error) => notifyProblem("Couldn't use this picture.", error),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!save.isPending) save.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  const error = getFieldError(save.error, 'display_name')
  if (isDone)
    return <Step number={number} isDone title="Name and picture" text={author.name} action={change('profile')} />
  return (
    <Step number={number} title="Name and picture" isCurrent>
      <form className="setup-name" onSubmit={submit}>
        <Avatar of={author} size={40} />
        <Button disabled={upload.isPending} onClick={() => file.current!.click()}>
          {upload.isPending ? 'Uploading…' : 'Upload picture'}
        </Button>
        <input
          ref={file}
          type="file"
          accept={PICTURE_TYPES.join()}
          aria-label="Picture file"
          className="visually-hidden"
          tabIndex={-1}
          onChange={({ target }) => target.files?.[0] && upload.mutate(target.files[0])}
        />
        <input
          className="input"
          name="name"
          aria-label="Your name"
          defaultValue={author.name}
          maxLength={100}
          required
          autoComplete="name"
          aria-invalid={error ? true : undefined}
        />
        <Button type="submit" aria-disabled={save.isPending}>
          Save
        </Button>
      </form>
      {save.error && (
        <p className="field-error" role="alert">
          {error ?? 'Your name was not saved. Try again.'}
        </p>
      )}
    </Step>
  )
}

const PasswordStep = ({ number, isDone }: StepProps) => (
  <Step
    number={number}
    isDone={isDone}
    title="A way to sign in"
    text={isDone ? 'You have a password.' : 'So far, you can only sign in with your invitation.'}
    action={
      isDone ? (
        change('security')
      ) : (
        <Link href={paths.settings('security')} className="button">
          Set a password
        </Link>
      )
    }
  />
)

function TimeZoneStep({ number, isDone }: StepProps) {
  const zone = useProfile(useMe().author.id).data?.time_zone
  const isOwn = zone === Intl.DateTimeFormat().resolvedOptions().timeZone
  const text = zone ? `${formatTimeZone(zone)}.${isOwn ? ' Taken from this browser.' : ''}` : 'Not set.'
  return <Step number={number} isDone={isDone} title="Time zone" text={text} action={change('profile')} />
}

function NotificationsStep({ number, isDone }: StepProps) {
  const settings = useNotificationSettings().data
  const allow = useMutation({
    mutationFn: async () => (await enablePush()) && finishStep('notifications'),
    onError: (error) => notifyProblem("Couldn't turn on notifications.", error),
  })
  const keep = useMutation({
    mutationFn: () => finishStep('notifications'),
    onError: (error) => notifyProblem("Couldn't mark this step as done.", error),
  })
  const mayAsk = settings?.is_push_available && getPushPermission() === 'default'
  return (
    <Step
      number={number}
      isDone={isDone}
      title="Notifications"
      text={
        settings?.mail === 'never' || !settings?.is_mail_configured ? 'In your inbox.' : 'In your inbox, and by e-mail.'
      }
      action={
        isDone ? (
          change('notifications')
        ) : (
          <>
            {mayAsk && (
              <Button disabled={allow.isPending} onClick={() => allow.mutate()}>
                Allow in this browser
              </Button>
            )}
            <Button variant="plain" disabled={keep.isPending} onClick={() => keep.mutate()}>
              Keep as is
            </Button>
            {change('notifications')}
          </>
        )
      }
    />
  )
}

const change = (part: string): ReactNode => (
  <Link href={paths.settings(part)} className="button plain">
    Change
  </Link>
)
