// The program of the threads that convert texts (stack-exchange-conversion.ts starts them).

export { convertTexts as default } from './stack-exchange-conversion.ts';
