// Changes: each says what it did, and lets every list look again.
import { useMutation } from "@tanstack/react-query";
import { done, failed } from "../parts/Toasts";
import { client } from "../polling";

interface Options<A, T> {
  /** What to say when it is done; nothing where it is empty. */
  say?: (answer: T, given: A) => string | undefined;
  /** What takes it back. */
  undo?: (answer: T, given: A) => (() => void) | undefined;
  onDone?: (answer: T, given: A) => void;
  /** Whether an error is shown where it happened, instead of as a message. */
  inPlace?: boolean;
}

export function useAction<A, T>(act: (given: A) => Promise<T>, options: Options<A, T> = {}) {
  return useMutation<T, Error, A>({
    mutationFn: act,
    onSuccess: (answer, given) => {
      const text = options.say?.(answer, given);
      const back = options.undo?.(answer, given);
      if (text) done(text, back && { name: "Undo", act: back });
      options.onDone?.(answer, given);
    },
    onError: options.inPlace ? () => undefined : failed,
    onSettled: () => void client.invalidateQueries(),
  });
}
