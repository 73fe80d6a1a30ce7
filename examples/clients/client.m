function best = client(address, token, study, count)
% A bridge in MATLAB: best = client('http://127.0.0.1:8477', TOKEN, 'line 3', 10)
% It stands for a test bench: it asks which two settings to try, tries both, says which was better, and returns the result.
% Needs R2017b or later and no toolbox; names of variables should be names in MATLAB, too.
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
% What the bench measures: put your machine here.
    c = sum((cell2mat(struct2cell(setting)) - 0.3) .^ 2);
end

function url = at(address, study, last)
% The address of a part of the study: /api/v1/studies/<study>/<last>, its name escaped.
    uri = matlab.net.URI(address);
    uri.Path = {'api', 'v1', 'studies', study, last};
    url = char(uri.EncodedURI);
end
