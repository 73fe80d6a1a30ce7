function best = client(address, token, study, count)
% A client in MATLAB: best = client('http://127.0.0.1:8477', TOKEN, 'line 3', 10)
% It plays a test bench: it asks which two settings to try, tries both, answers which was better, and returns the result.
% It needs R2017b or later and no toolbox. The names of the variables should be valid names in MATLAB, too.
    options = weboptions('HeaderFields', {'Authorization', ['Bearer ' token]}, 'MediaType', 'application/json', 'Timeout', 60);
    for k = 1:count
        current = webread(at(address, study, 'question'), options);
        if isempty(current.question), break, end             % every candidate has been compared
        question = current.question;
        if cost(question.a) < cost(question.b), better = 'a'; else, better = 'b'; end
        once = [char(datetime('now', 'Format', 'yyyyMMdd-HHmmss-SSS')) '-' num2str(question.step)];
        said = struct('step', question.step, 'answer', better, 'answer_id', once);
        saved = webwrite(at(address, study, 'answers'), said, options);
        fprintf('question %d: %s, %d answers\n', question.step, better, saved.answers);
    end
    result = webread(at(address, study, 'result'), options);
    best = result.best;
end

function c = cost(setting)
% What the bench measures; replace this by your machine.
    c = sum((cell2mat(struct2cell(setting)) - 0.3) .^ 2);
end

function url = at(address, study, last)
% The address of a part of the study: /api/v1/studies/<study>/<last>, with the name escaped.
    uri = matlab.net.URI(address);
    uri.Path = {'api', 'v1', 'studies', study, last};
    url = char(uri.EncodedURI);
end
